import type { Exchange } from '../../core/exchange.ts';
import type { JsonObject } from '../../core/json.ts';

/**
 * Kind of a request in a script. `dispatch` sends a further task, `beside` reads another task of the same session.
 * `queue` creates or reads a queued message, `takeBack` deletes it. `late` means that a deadline passed while the last
 * observation shows no end.
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

/** State of the script's resource, as a response shows it. */
export interface Shown {
  status: string;
  /** `over`: a terminal state; `unknown`: no status, or a status that no list of states has. */
  phase: 'open' | 'over' | 'unknown';
  /** Members that do not change after the end. */
  settled: JsonObject;
  /** Numbers and amounts that never decrease. */
  counters: Readonly<Record<string, number>>;
}

/** One request of a script and its response. */
export interface Moment {
  /** The script step to which the request belongs. */
  word: string;
  act: Act;
  exchange: Exchange;
  /**
   * Absent if the response does not show the resource: a refusal, a list without the resource, or an unexpected body.
   */
  shown?: Shown;
  /** For `list`: false if the response does not contain the resource. */
  listed?: boolean;
}

/**
 * Requests of one script step. A step has one part, or one part per concurrent action; concurrent parts may take
 * effect in any order.
 */
export interface Turn {
  word: string;
  parts: readonly (readonly Moment[])[];
}

/** Returns the requests of all steps in the order of sending. */
export function listMoments(turns: readonly Turn[]): readonly Moment[] {
  return turns.flatMap(({ parts }) => parts.flat());
}
