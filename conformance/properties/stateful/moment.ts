import type { Exchange } from '../../core/exchange.ts';
import type { JsonObject } from '../../core/json.ts';

/**
 * What a request of a script does; `beside` looks at another task of the same session, `late` says that a deadline of the
 * suite has passed and that the last look shows no end.
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

/** What an answer shows of the thing that the script is about. */
export interface Shown {
  status: string;
  /** `over`: a terminal state; `unknown`: a state that no list explains. */
  phase: 'open' | 'over' | 'unknown';
  /** Members that do not change once it has ended. */
  settled: JsonObject;
  /** Numbers and amounts that never fall. */
  counters: Readonly<Record<string, number>>;
}

/** One answered request of a script. */
export interface Moment {
  /** The word of the script. */
  word: string;
  act: Act;
  exchange: Exchange;
  /** Absent where the answer shows nothing of the thing: a refusal, a list without it, an answer of another form. */
  shown?: Shown;
  /** For `list`: false where the list that was answered does not have the thing. */
  listed?: boolean;
}

/** What was done for one word: one part, or for a race one part for each action, which any order may explain. */
export interface Turn {
  word: string;
  parts: readonly (readonly Moment[])[];
}

/** The moments of turns in the order in which they were asked for. */
export function momentsOf(turns: readonly Turn[]): readonly Moment[] {
  return turns.flatMap(({ parts }) => parts.flat());
}
