import type { Exchange } from '../../core/exchange.ts';
import type { JsonObject } from '../../core/json.ts';

/**
 * Kind of a request in a script. `stop` ends the resource, `stopTask` only its task; `dispatch` sends a further task.
 * `beside` reads another task of the same session. `queue` creates or reads a queued message, `takeBack` deletes it.
 * `late` repeats the last observation if it shows no end after a deadline.
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

/** State of the resource that a script acts on, as one response shows it. */
export interface Shown {
  status: string;
  /**
   * `over`: a terminal state; `open`: any other listed state; `unknown`: no status, or a status that the life cycle
   * does not list.
   */
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
 * Requests of one step of a script. Each concurrent action of the step has one list of requests in `parts`; the actions
 * may take effect in any order.
 */
export interface Turn {
  word: string;
  parts: readonly (readonly Moment[])[];
}

/** Returns the requests of all steps in the order of sending. */
export function listMoments(turns: readonly Turn[]): readonly Moment[] {
  return turns.flatMap(({ parts }) => parts.flat());
}
