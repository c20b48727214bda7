// Numbers as people read them.

const whole = new Intl.NumberFormat("en", { maximumFractionDigits: 0 });
const short = new Intl.NumberFormat("en", { notation: "compact", maximumSignificantDigits: 3 });

export const NOTHING = "\u2013";

export const count = (number) => whole.format(number);

/** 19,879 as 19.9K, where there is little room. */
export const brief = (number) => (number < 10000 ? whole.format(number) : short.format(number));

/** "1 span", "2 spans". */
export const plural = (number, noun) => `${count(number)} ${noun}${number === 1 ? "" : "s"}`;

/** A length of time that is given in milliseconds. */
export function duration(ms) {
  if (ms === 0) return "0 ms";
  if (ms < 1) return `${Math.max(1, Math.round(ms * 1000))} \u00b5s`;
  if (ms < 10) return `${ms.toFixed(1)} ms`;
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 60000) return `${(ms / 1000).toFixed(ms < 10000 ? 2 : 1)} s`;
  const seconds = Math.round(ms / 1000);
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
  return hours ? `${count(hours)} h ${minutes} min` : `${minutes} min ${seconds % 60} s`;
}

/** Dollars; a fraction of a cent keeps two digits that say something. */
export function dollars(amount) {
  if (amount === null || amount === undefined) return NOTHING;
  if (amount === 0 || amount >= 0.1) return `$${amount.toFixed(2)}`;
  return `$${Number(amount.toPrecision(2)).toFixed(Math.min(9, 1 - Math.floor(Math.log10(amount))))}`;
}

export const percent = (part, all) => (all > 0 ? `${Math.round((100 * part) / all)} %` : NOTHING);
