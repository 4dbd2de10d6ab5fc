import type { RunEvent } from '../api/types.ts';
import { outcomeWords } from '../format/outcome-words.ts';

/** Whether a run has reached its goal, by its last event, in words; null while it goes on and where nobody can say. */
export function outcomeOf(events: readonly RunEvent[]): string | null {
  const data = events.findLast(({ type }) => type === 'run.completed')?.data;
  const success: unknown = data === undefined ? undefined : Reflect.get(data, 'success');
  return outcomeWords(typeof success === 'boolean' ? success : null);
}
