import { suiteLimit } from './bounds.ts';
import { withoutEnd } from './trim-end.ts';

/** A decimal string as an exact number: `value / 10 ** scale`. */
export interface Decimal {
  value: bigint;
  /** Number of digits after the decimal point. */
  scale: number;
}

/** Maximum number of characters of a decimal string: a million digits cost half a second each time they are read. */
export const decimalMax = suiteLimit('answerDecimal');

/**
 * Parses a decimal string of the contract exactly; undefined for any other text, and for a text of more than {@link
 * decimalMax} characters.
 */
export function parseDecimal(text: string): Decimal | undefined {
  if (text.length > decimalMax) return undefined;
  const match = /^([+-]?)(\d*)(?:\.(\d*))?$/.exec(text);
  if (match === null || !/\d/.test(text)) return undefined;
  const [, sign = '', whole = '', fraction = ''] = match;
  const value = BigInt(`${whole}${fraction}`);
  return { value: sign === '-' ? -value : value, scale: fraction.length };
}

/** Returns the `value` of the same number at another scale, which must be at least the scale of `decimal`. */
export function rescale(decimal: Decimal, scale: number): bigint {
  return scale === decimal.scale ? decimal.value : decimal.value * 10n ** BigInt(scale - decimal.scale);
}

/** Returns the decimal text of a number, without trailing zeros. */
export function formatDecimal(decimal: Decimal): string {
  const negative = decimal.value < 0n;
  const digits = (negative ? -decimal.value : decimal.value).toString().padStart(decimal.scale + 1, '0');
  const whole = digits.slice(0, digits.length - decimal.scale);
  const fraction = withoutEnd(digits.slice(digits.length - decimal.scale), /0/);
  return `${negative ? '-' : ''}${whole}${fraction === '' ? '' : `.${fraction}`}`;
}

/** Returns a negative number, 0 or a positive number if `left` is smaller than, equal to or larger than `right`. */
export function compareDecimals(left: Decimal, right: Decimal): number {
  const scale = Math.max(left.scale, right.scale);
  const difference = rescale(left, scale) - rescale(right, scale);
  return difference < 0n ? -1 : Number(difference > 0n);
}

/** Multiplies a decimal by a whole number. */
export function timesDecimal(decimal: Decimal, count: number): Decimal {
  return { value: decimal.value * BigInt(count), scale: decimal.scale };
}

/** Returns the value of a decimal string that was validated before; 0 for undefined and for any other text. */
export function toDecimal(text: string | undefined): Decimal {
  return parseDecimal(text ?? '0') ?? { value: 0n, scale: 0 };
}

/** Returns the exact difference of two decimals. */
export function minusDecimal(left: Decimal, right: Decimal): Decimal {
  return sumDecimals([left, { value: -right.value, scale: right.scale }]);
}

/** Returns the exact sum of decimals. */
export function sumDecimals(decimals: readonly Decimal[]): Decimal {
  const scale = Math.max(0, ...decimals.map((decimal) => decimal.scale));
  return { value: decimals.reduce((total, decimal) => total + rescale(decimal, scale), 0n), scale };
}
