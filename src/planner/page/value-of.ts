const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];

/** What a cell is worth when cells are compared: a date or an amount as a number, anything else as its text. */
export function valueOf(text: string): number | string {
  const date = dateOf(text);
  if (date !== null) return date;
  return numberOf(text) ?? text.trim().toLowerCase();
}

/** A number with its unit before or behind it, `1,234.50` as English has it; null for anything else. */
function numberOf(text: string): number | null {
  const found = /^[^\d-]{0,4}(-?\d{1,3}(?:,\d{3})+(?:\.\d+)?|-?\d+(?:\.\d+)?)\s*[^\d]{0,16}$/.exec(text.trim());
  return found === null ? null : Number((found[1] ?? '').replaceAll(',', ''));
}

/**
 * Days since 1970 of a date that stands alone, such as `2026-05-12`, `12 May 2026` or `12 May`, with or without a time of day;
 * one without a year counts within 1970. Null for anything else.
 */
export function dateOf(text: string): number | null {
  const [, year, month, day] = /^(\d{4})-(\d{2})-(\d{2})(?:[T ]\d{2}:\d{2}.*)?$/.exec(text.trim()) ?? [];
  if (year !== undefined) return days(Number(year), Number(month) - 1, Number(day));
  const worded = /^(?:[a-z]{3,9},?\s+)?(\d{1,2})\.?\s+([a-z]{3})[a-z]*\.?(?:,?\s+(\d{4}))?$/i.exec(text.trim());
  const at = MONTHS.indexOf((worded?.[2] ?? '').toLowerCase());
  return worded === null || at < 0 ? null : days(Number(worded[3] ?? 1_970), at, Number(worded[1]));
}

function days(year: number, month: number, day: number): number {
  return Date.UTC(year, month, day) / 86_400_000;
}
