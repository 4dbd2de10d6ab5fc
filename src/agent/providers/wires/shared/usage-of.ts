import type { ModelUsage } from '../../../model/model-call.ts';

/** Figures of a provider as usage: the sum of each side; null where one of them is no whole number, which is as good as none. */
export function usageOf(input: readonly (number | null)[], output: readonly (number | null)[]): ModelUsage | null {
  const inputTokens = sum(input);
  const outputTokens = sum(output);
  return inputTokens === null || outputTokens === null ? null : { inputTokens, outputTokens };
}

function sum(counts: readonly (number | null)[]): number | null {
  let total = 0;
  for (const count of counts) {
    if (count === null) return null;
    total += count;
  }
  return total;
}
