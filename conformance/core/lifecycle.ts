/** One state of a machine. */
export interface MachineState {
  name: string;
  /** pending = not ready, live = in use, end = nothing follows. */
  kind: 'pending' | 'live' | 'end';
  meaning: string;
}

/** A step from one state to another. */
export interface Step {
  from: string;
  to: string;
}

/** The states of one kind of thing. A machine without transitions has states whose order nobody has shown. */
export interface Machine {
  machine: 'session' | 'task' | 'run' | 'browser';
  version: 'v2' | 'v3' | 'v4';
  states: readonly MachineState[];
  transitions: readonly Step[];
}

/** How often things of one kind were seen in one state and, at the next look, in another. */
export interface WalkedEdge {
  machine: Machine['machine'];
  from: string;
  to: string;
  count: number;
}
