/** One state of a state machine. */
export interface MachineState {
  name: string;
  /** `pending`: the resource is not ready; `live`: the resource is in use; `end`: the state is final. */
  kind: 'pending' | 'live' | 'end';
  meaning: string;
}

/** A step from one state to another. */
export interface Step {
  from: string;
  to: string;
}

/**
 * State machine of one kind of resource in one generation. If `transitions` is empty, no document states the order of
 * the states.
 */
export interface Machine {
  machine: 'session' | 'task' | 'run' | 'browser';
  version: 'v2' | 'v3' | 'v4';
  states: readonly MachineState[];
  transitions: readonly Step[];
}

/** A state transition, with the number of times that two successive observations of a resource showed it. */
export interface WalkedEdge {
  machine: Machine['machine'];
  from: string;
  to: string;
  count: number;
}
