/** Format of a fault in the data tables. */

/** Minimum spend level of a suite run that can detect a fault. */
export type Spend = 'none' | 'browser' | 'task';

/** Faults that violate one sentence of the contract. */
export interface Breach {
  /** The sentence, in the words of its source. */
  readonly sentence: string;
  /** Document with the sentence. Sentences of the companion are judged with the profile `full`. */
  readonly source: 'contract' | 'companion';
  readonly area: string;
  readonly generation: 'all' | 'v2' | 'v3' | 'v4';
  readonly spend: Spend;
  /** Fault id and what the broken server does. */
  readonly faults: Readonly<Record<string, string>>;
}
