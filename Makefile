# Each target sets up what it needs in $(VENV); all it takes is Python 3.11 or newer, pip and make.
#   make demo [Q="..."] [CORPUS=folder] [MODEL=name] [BASE_URL=address] [OUT=folder]
#             [BUDGET_TOKENS=20000] [BUDGET_USD=0.50] [BUDGET_SECONDS=60]
#             [MCP="command"] [MCP=address]
#             [OTLP=http://localhost:4318]
#   make test | check | laws | bench | lock

VENV ?= .venv
PYTHON ?= $(shell for python in python3 python3.13 python3.12 python3.11; do \
	$$python -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$python && break; done)
# pip works on the new environment from outside, so that ensurepip need not be there.
INSTALL = $(PYTHON) -m pip --python $(VENV)/bin/python --disable-pip-version-check install --quiet
RUN = $(VENV)/bin/python

.PHONY: demo test check laws bench lock

demo: $(VENV)/.ready
	@set --; \
	[ -z "$$CORPUS" ] || set -- "$$@" --corpus "$$CORPUS"; \
	[ -z "$$MODEL" ] || set -- "$$@" --model "$$MODEL"; \
	[ -z "$$BASE_URL" ] || set -- "$$@" --base-url "$$BASE_URL"; \
	[ -z "$$OUT" ] || set -- "$$@" --out "$$OUT"; \
	[ -z "$$MCP" ] || set -- "$$@" --mcp "$$MCP"; \
	[ -z "$$BUDGET_TOKENS" ] || set -- "$$@" --budget-tokens "$$BUDGET_TOKENS"; \
	[ -z "$$BUDGET_USD" ] || set -- "$$@" --budget-usd "$$BUDGET_USD"; \
	[ -z "$$BUDGET_SECONDS" ] || set -- "$$@" --budget-seconds "$$BUDGET_SECONDS"; \
	[ -z "$$OTLP" ] || set -- "$$@" --otlp "$$OTLP"; \
	[ -z "$$Q" ] || set -- "$$@" --question "$$Q"; \
	$(RUN) examples/research_assistant "$$@"

test: $(VENV)/.ready-dev
	$(RUN) -m pytest -n 2

check: $(VENV)/.ready-dev
	$(RUN) -m ruff format --check .
	$(RUN) -m ruff check .
	$(RUN) -m mypy
	PYRIGHT_PYTHON_IGNORE_WARNINGS=1 $(RUN) -m pyright --pythonpath $(RUN)
	$(VENV)/bin/lint-imports
	PYTHON=$(PYTHON) scripts/check_wheel.sh $(RUN)
	$(RUN) -m coverage erase
	$(RUN) -m coverage run -m pytest -n 2
	$(RUN) -m coverage combine --quiet
	$(RUN) -m coverage report

laws: $(VENV)/.ready-dev
	PODIUM_LEDGER_EXAMPLES=5000 PODIUM_LEDGER_STEPS=60 PODIUM_BUDGET_SIZES="1 2 8 32 128 256" $(RUN) -m pytest -n 2 \
		tests/agent/test_ledger_laws.py tests/agent/test_ledger_liveness.py \
		tests/orchestration/test_budget_tree.py tests/orchestration/test_budget_over_a_server.py

bench: $(VENV)/.ready
	$(RUN) tests/benchmarks

# The pins name no index, so they install from wherever pip is told to look. Needs uv.
lock:
	uv pip compile --universal --python-version 3.11 --no-annotate --custom-compile-command "make lock" \
		--upgrade --all-extras pyproject.toml --output-file requirements.txt --quiet
	uv pip compile --universal --python-version 3.11 --no-annotate --custom-compile-command "make lock" \
		--upgrade --all-extras --group dev --constraints requirements.txt pyproject.toml \
		--output-file requirements-dev.txt --quiet

$(VENV)/.ready: requirements.txt pyproject.toml
	@[ -n "$(PYTHON)" ] || { echo "podium needs Python 3.11 or newer. Install one, or name it: make PYTHON=..."; exit 1; }
	$(PYTHON) -m venv --without-pip $(VENV)
	$(INSTALL) --requirement requirements.txt
	$(INSTALL) --no-deps --editable .
	@touch $@

$(VENV)/.ready-dev: $(VENV)/.ready requirements-dev.txt
	$(INSTALL) --requirement requirements-dev.txt
	@touch $@
