import type { Exchange } from '../../core/exchange.ts';
import type { JsonObject } from '../../core/json.ts';

/**
 * Kind of a request of a script. `beside` reads another task of the same session. `late` means that a deadline has
 * passed and the last snapshot shows no end.
 */
export type Act =
  | 'create'
  | 'dispatch'
  | 'stop'
  | 'stopTask'
  | 'remove'
  | 'look'
  | 'beside'
  | 'list'
  | 'queue'
  | 'takeBack'
  | 'late';

/** State of the script's resource in a response. */
export interface Shown {
  status: string;
  /** `over`: a terminal state; `unknown`: a state that is in no list. */
  phase: 'open' | 'over' | 'unknown';
  /** Members that do not change after the end. */
  settled: JsonObject;
  /** Numbers and amounts that never decrease. */
  counters: Readonly<Record<string, number>>;
}

/** One answered request of a script. */
export interface Moment {
  /** The word of the script. */
  word: string;
  act: Act;
  exchange: Exchange;
  /** Absent if the response does not show the resource: a refusal, a list without it, or another form. */
  shown?: Shown;
  /** For `list`: false if the response does not contain the resource. */
  listed?: boolean;
}

/** Requests of one word: one part, or one part per action for a race, which may occur in any order. */
export interface Turn {
  word: string;
  parts: readonly (readonly Moment[])[];
}

/** Returns the moments of turns in the order of sending. */
export function momentsOf(turns: readonly Turn[]): readonly Moment[] {
  return turns.flatMap(({ parts }) => parts.flat());
}
