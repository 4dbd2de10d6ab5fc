import type { StepUsage } from '#agent/agent.ts';

/** One line about an action that was done, and what it brought to light. */
export interface Done {
  readonly summary: string;
  readonly observed: string;
}

const SUMMARY_PART_MAX = 120;

/** A text on one line of at most 120 characters, for a summary. */
export function shortened(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length <= SUMMARY_PART_MAX ? line : `${line.slice(0, SUMMARY_PART_MAX - 1)}…`;
}

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
