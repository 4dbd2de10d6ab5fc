import type { StepUsage } from '#agent/agent.ts';

/** The usual rule of thumb for English. */
const CHARACTERS_PER_TOKEN = 4;

/**
 * The tokens that a model would have used for a step: what it would have read and what it would have written, each
 * counted as ceil(characters / 4). An estimate, since no model is asked; the same step always gives the same numbers.
 */
export function estimateUsage(read: string, written: string): StepUsage {
  return { inputTokens: tokens(read), outputTokens: tokens(written) };
}

function tokens(text: string): number {
  return Math.ceil(text.length / CHARACTERS_PER_TOKEN);
}
