import type { Judgement } from './judge-reference.ts';

/** A mutant that the proof judges. */
export interface Piece {
  readonly key: string;
  /** `code`: a mutant in the instrumented code; `document`: a change of tables or responses, identified by its key. */
  readonly kind: 'code' | 'document';
  /** Id of a code mutant; absent for a document mutant. */
  readonly id?: string;
  readonly seed: number;
}

/** Message to a child process that judges mutants. */
export type Order =
  | { readonly what: 'judge'; readonly piece: Piece; readonly matrix: 'sample' | 'full' }
  /** Order to judge the unchanged reference. */
  | { readonly what: 'control'; readonly seed: number }
  /** Order to judge the unchanged reference and to return the mutants of the code that the run has reached. */
  | { readonly what: 'cover'; readonly seed: number };

/** Mutants whose code a run executed. */
export interface Reached {
  /** Mutants reached while modules load: the process must start with such a mutant. */
  readonly loading: readonly string[];
  readonly running: readonly string[];
}

/** Reply of a child process that judges mutants. */
export interface Answer extends Judgement {
  readonly seconds: number;
  /** Whether the change of a document mutant has changed a rule table or a response; true for every other order. */
  readonly hasChanged: boolean;
  readonly reached?: Reached;
  /** False when the service did not stop. The process cannot judge another mutant then. */
  readonly hasStopped: boolean;
}
