/** One server that a proof judges once. */
export interface Work {
  /** Permanent name of this piece of work. */
  readonly key: string;
  readonly what: 'seed' | 'mutant' | 'fake' | 'unbroken';
  /** Id of a good server or a mutant, or the name of a fake service. */
  readonly server: string;
  readonly seed: number;
}

/** Result of judging one server. */
export interface Done {
  readonly key: string;
  readonly server: string;
  readonly seed: number;
  /** Ids of requirements with a violation. `proofs/worker.ts` adds the ids of requirements with a warning or note. */
  readonly failing: readonly string[];
  /** Ids of requirements with the verdict error, or the message of an exception that ended the run. */
  readonly errors: readonly string[];
  /**
   * Whether the suite saw a change by the mutant or reached the code of the fault. True for good servers and fakes,
   * without meaning for unbroken servers. Absent after an exception.
   */
  readonly hasChanged?: boolean;
  /** Number of resources that the run has left alive. */
  readonly left: number;
  readonly requests: number;
  readonly seconds: number;
  /** First failures and errors, each with the id of its requirement and a message. */
  readonly notes: readonly string[];
}

/** Options of a proof. */
export interface LongOptions {
  /** Selects the servers whose names contain this text; empty for all servers. */
  readonly only: string;
  readonly seedsMax: number;
  readonly jobs: number;
  /** Minutes after which the proof begins no further work. */
  readonly minutes: number;
  readonly fresh: boolean;
}

/**
 * Returns the items whose names contain `only`. Throws if no name does, because a proof that judges nothing would hold.
 */
export function choose<Item>(items: readonly Item[], only: string, getName: (item: Item) => string): Item[] {
  const chosen = items.filter((item) => getName(item).includes(only));
  if (chosen.length > 0) return chosen;
  const known = items.slice(0, 3).map(getName).join(', ');
  throw new Error(`found no name with "${only}" in it, expected a part of a name such as ${known}`);
}
