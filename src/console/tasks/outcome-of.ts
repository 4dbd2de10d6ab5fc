import type { RunEvent } from '../api/types.ts';

/** Outcome of a run by its last event; members are null while the run goes on and where the event does not say. */
export interface Outcome {
  readonly isAchieved: boolean | null;
  readonly reason: string | null;
}

/** Returns whether a run reached its goal, and the reason that its last event gives. */
export function outcomeOf(events: readonly RunEvent[]): Outcome {
  const data = events.findLast(({ type }) => type === 'run.completed')?.data ?? {};
  const success: unknown = Reflect.get(data, 'success');
  const reason: unknown = Reflect.get(data, 'reason');
  return {
    isAchieved: typeof success === 'boolean' ? success : null,
    reason: typeof reason === 'string' && reason !== '' ? reason : null,
  };
}
