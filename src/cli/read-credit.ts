import { InvalidArgumentError } from 'commander';
import { usdToMicros } from '#contract/money.ts';

/** A credit on the command line in micro-dollars; null for `unlimited`. Anything else ends with wrong usage. */
export function readCredit(text: string): number | null {
  if (text === 'unlimited') return null;
  const micros = usdToMicros(text);
  if (micros !== null && micros >= 0) return micros;
  throw new InvalidArgumentError('Expected an amount in US dollars such as 25 or 0.50, or unlimited.');
}
