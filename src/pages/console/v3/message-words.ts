import type { V3Message } from '../api/types.ts';

/** What a message says to people. */
export function messageWords(message: Pick<V3Message, 'role' | 'data' | 'type' | 'summary'>): string {
  if (message.role === 'human') return `Asked: ${message.data}`;
  if (message.type !== 'completion') return lineOf(message);
  const line = lineOf(message);
  return line === '' ? 'The task has ended' : `The task has ended: ${line}`;
}

/** The one line of a message; all of it where there is none. */
export function lineOf({ summary, data }: Pick<V3Message, 'data' | 'summary'>): string {
  return summary === undefined || summary === '' ? data : summary;
}
