import type { LogVerdict } from '../../contract/log-messages.ts';

/** How a verdict is shown: a mark that needs no colour, a word, and a sentence. */
export const verdictWords: Readonly<Record<LogVerdict, { mark: string; word: string; sentence: string }>> = {
  kept: { mark: '✓', word: 'kept', sentence: 'The call keeps the contract.' },
  broken: { mark: '✗', word: 'broken', sentence: 'The call breaks the contract.' },
  refused: { mark: '–', word: 'refused', sentence: 'The call was refused, and breaks no sentence of the contract.' },
  fault: { mark: '!', word: 'fault', sentence: 'The answer is at fault, not the call.' },
};
