/** A decimal string as an exact number: `value / 10 ** scale`. */
export interface Decimal {
  value: bigint;
  /** Digits after the point. */
  scale: number;
}

/** The exact value of a decimal string of the contract, or undefined when it is not one. */
export function parseDecimal(text: string): Decimal | undefined {
  const match = /^([+-]?)(\d*)(?:\.(\d*))?$/.exec(text);
  if (match === null || !/\d/.test(text)) return undefined;
  const [, sign = '', whole = '', fraction = ''] = match;
  const value = BigInt(`${whole}${fraction}`);
  return { value: sign === '-' ? -value : value, scale: fraction.length };
}

/** The same number with more digits after the point. */
export function rescale(decimal: Decimal, scale: number): bigint {
  return decimal.value * 10n ** BigInt(scale - decimal.scale);
}

/** Decimal text of a number, without trailing zeros. */
export function formatDecimal(decimal: Decimal): string {
  const negative = decimal.value < 0n;
  const digits = (negative ? -decimal.value : decimal.value).toString().padStart(decimal.scale + 1, '0');
  const whole = digits.slice(0, digits.length - decimal.scale);
  const fraction = digits.slice(digits.length - decimal.scale).replace(/0+$/, '');
  return `${negative ? '-' : ''}${whole}${fraction === '' ? '' : `.${fraction}`}`;
}

/** Exact sum of decimals. */
export function sumDecimals(decimals: readonly Decimal[]): Decimal {
  const scale = Math.max(0, ...decimals.map((decimal) => decimal.scale));
  return { value: decimals.reduce((total, decimal) => total + rescale(decimal, scale), 0n), scale };
}
