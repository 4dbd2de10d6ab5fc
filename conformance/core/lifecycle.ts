/** One state of a state machine. */
export interface MachineState {
  name: string;
  /** Kind of the state: pending = not ready, live = in use, end = terminal. */
  kind: 'pending' | 'live' | 'end';
  meaning: string;
}

/** A step from one state to another. */
export interface Step {
  from: string;
  to: string;
}

/** States of one kind of resource. A machine without transitions has states whose order is not documented. */
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
