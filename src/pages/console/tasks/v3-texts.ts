import { sessionStatus } from '#generated/states.ts';
import type { V3Message } from '../api/types.ts';

/** Returns whether the task of a session with that status is waiting or running. */
export function isWorking(status: string): boolean {
  return status === sessionStatus.created || status === sessionStatus.running;
}

/** Returns whether a session with that status has not ended. */
export function isAlive(status: string): boolean {
  return isWorking(status) || status === sessionStatus.idle;
}

/**
 * Returns the output of a V3 session: a string unchanged, any other value as formatted JSON; null without an output.
 */
export function outputText(output: unknown): string | null {
  if (output === null || output === undefined || output === '') return null;
  return typeof output === 'string' ? output : JSON.stringify(output, null, 2);
}

/** Returns the text of a message for the user. */
export function messageWords(message: Pick<V3Message, 'role' | 'data' | 'type' | 'summary'>): string {
  if (message.role === 'human') return `Asked: ${message.data}`;
  if (message.type !== 'completion') return getLine(message);
  const line = getLine(message);
  return line === '' ? 'The task has ended' : `The task has ended: ${line}`;
}

/** Returns the summary of a message, or its complete text if it has no summary. */
export function getLine({ summary, data }: Pick<V3Message, 'data' | 'summary'>): string {
  return summary === undefined || summary === '' ? data : summary;
}
