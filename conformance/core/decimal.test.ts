import { describe, expect, it } from 'vitest';
import { decimalMax, formatDecimal, parseDecimal, sumDecimals } from './decimal.ts';

describe('decimal strings', () => {
  it.each(['0', '1.50', '-0.001', '+3', '.5', '5.'])('reads %s', (text) => {
    expect(parseDecimal(text)).toBeDefined();
  });

  it.each(['', '.', '+.', '1e3', '1,5', ' 1', 'NaN'])('does not read "%s"', (text) => {
    expect(parseDecimal(text)).toBeUndefined();
  });

  it('reads long amounts exactly, up to its limit', () => {
    const long = '9'.repeat(decimalMax);
    expect(formatDecimal(parseDecimal(long) ?? { value: 0n, scale: 0 })).toBe(long);
    expect(parseDecimal(`${long}9`)).toBeUndefined();
  });

  it('sums exactly', () => {
    const parts = ['0.1', '0.2', '0.003'].map((text) => parseDecimal(text)).filter((part) => part !== undefined);
    expect(formatDecimal(sumDecimals(parts))).toBe('0.303');
  });
});
