/** One server that a proof judges once. */
export interface Work {
  /** Permanent name of this piece of work. */
  readonly key: string;
  readonly what: 'seed' | 'mutant' | 'fake' | 'unbroken';
  /** Id of the server: a good or legal one, or a mutant. */
  readonly server: string;
  readonly seed: number;
}

/** Result of judging one server. */
export interface Done {
  readonly key: string;
  readonly server: string;
  readonly seed: number;
  /** Ids of rows with a violation. */
  readonly failing: readonly string[];
  /** Ids of rows with the verdict error, or an exception of the work. */
  readonly errors: readonly string[];
  /** Whether a mutant has changed something that the suite saw; true for other servers. */
  readonly hasChanged?: boolean;
  /** Number of resources left alive. */
  readonly left: number;
  readonly requests: number;
  readonly seconds: number;
  /** Messages of the first failures. */
  readonly notes: readonly string[];
}

/** Options of a proof. */
export interface LongOptions {
  /** Part of the names of the servers. */
  readonly only: string;
  readonly seedsMax: number;
  readonly jobs: number;
  /** Minutes after which no work begins. */
  readonly minutes: number;
  readonly fresh: boolean;
}
