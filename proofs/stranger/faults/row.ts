/** The form of a fault in the data tables. */

/** Minimum spend level of a suite run that can detect a fault. */
export type Spend = 'none' | 'browser' | 'task';

/** Faults that violate one sentence of the contract. */
export interface Breach {
  /** The sentence, in the words of its source. */
  readonly sentence: string;
  /** Where the sentence stands; what only the companion says is judged with the full profile. */
  readonly source: 'contract' | 'companion';
  readonly area: string;
  readonly generation: 'all' | 'v2' | 'v3' | 'v4';
  readonly spend: Spend;
  /** Fault id and what the broken server does. */
  readonly faults: Readonly<Record<string, string>>;
}
