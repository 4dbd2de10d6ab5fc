/** Format of a fault in the data tables. */

/** Minimum spend level of a suite run that can detect a fault. */
export type Spend = 'none' | 'browser' | 'task';

/** Faults that violate one sentence of the contract or of the companion. */
export interface Breach {
  /** The violated sentence, quoted from the document that `source` names. */
  readonly sentence: string;
  /** Document that contains the sentence. Sentences of the companion are judged with the profile `full`. */
  readonly source: 'contract' | 'companion';
  readonly area: string;
  readonly generation: 'all' | 'v2' | 'v3' | 'v4';
  readonly spend: Spend;
  /** Descriptions of what the broken server does, by fault id. */
  readonly faults: Readonly<Record<string, string>>;
}
