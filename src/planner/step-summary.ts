import type { StepUsage } from '#agent/agent.ts';

/** Summary of an executed action, and the text that it has read. */
export interface Done {
  readonly summary: string;
  readonly observed: string;
}

const summaryPartMax = 120;

/** Returns a text on one line, cut to at most `summaryPartMax` characters. */
export function shortened(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length <= summaryPartMax ? line : `${line.slice(0, summaryPartMax - 1)}…`;
}

/** Estimated number of characters of English text for one token. */
const charactersPerToken = 4;

/**
 * Estimates the tokens that a model would have used for a step: input tokens for the read text, output tokens for the
 * written text. Counts one token for four characters, rounded up.
 */
export function estimateUsage(read: string, written: string): StepUsage {
  return { inputTokens: tokens(read), outputTokens: tokens(written) };
}

function tokens(text: string): number {
  return Math.ceil(text.length / charactersPerToken);
}
