import type { Judgement } from './judge-reference.ts';

/** A mutant to judge. */
export interface Piece {
  readonly key: string;
  /** `code`: a switch of the instrumented code; `document`: a change of tables or answers, found by its key. */
  readonly kind: 'code' | 'document';
  /** Number of the switch of a code mutant. */
  readonly id?: string;
  readonly seed: number;
}

/** What a process that judges mutants is sent. */
export type Order =
  | { readonly what: 'judge'; readonly piece: Piece; readonly matrix: 'sample' | 'full' }
  /** Judges the unchanged reference. */
  | { readonly what: 'control'; readonly seed: number }
  /** Judges the unchanged reference and answers which mutants of the code were reached. */
  | { readonly what: 'cover'; readonly seed: number };

/** Mutants that a run reaches. */
export interface Reached {
  /** While modules load: the process has to begin with such a mutant. */
  readonly loading: readonly string[];
  readonly running: readonly string[];
}

/** What such a process answers. */
export interface Answer extends Judgement {
  readonly seconds: number;
  /** Whether a changed document has changed a table or an answer; true for all others. */
  readonly hasChanged: boolean;
  readonly reached?: Reached;
  /** False when the service did not stop: the process cannot judge another one then. */
  readonly hasStopped: boolean;
}
