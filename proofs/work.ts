/** One server to judge once. */
export interface Work {
  /** Permanent name of this piece of work. */
  readonly key: string;
  readonly what: 'seed' | 'mutant' | 'fake' | 'unbroken';
  /** Id of the server: of a good or legal one, or of a mutant. */
  readonly server: string;
  readonly seed: number;
}

/** What came out of it. */
export interface Done {
  readonly key: string;
  readonly server: string;
  readonly seed: number;
  /** Ids of rows that were found at fault. */
  readonly failing: readonly string[];
  /** Ids of rows with the verdict error, or what the work threw. */
  readonly errors: readonly string[];
  /** Whether a mutant has changed something that the suite saw; true for every other server. */
  readonly hasChanged?: boolean;
  /** Things left alive. */
  readonly left: number;
  readonly requests: number;
  readonly seconds: number;
  /** Messages of the first failures, to look at. */
  readonly notes: readonly string[];
}

/** What a proof is made with. */
export interface LongOptions {
  /** Part of the names of the servers to take. */
  readonly only: string;
  readonly seedsMax: number;
  readonly jobs: number;
  /** Nothing is begun after this time. */
  readonly minutes: number;
  readonly fresh: boolean;
}
