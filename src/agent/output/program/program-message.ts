/** What one run of a program may use up. */
export interface ProgramBounds {
  /** Time that the program itself computes, in ms. */
  readonly computeMs: number;
  /** Time without a sign of it while it waits for nothing, in ms; ends what its engine cannot interrupt. */
  readonly silentMs: number;
  /** Time from its start to its end, waiting for pages included, in ms. */
  readonly wholeMs: number;
  /** Memory of its engine, in which everything that it makes lies; in whole pages of 64 KiB, and at least 16 MiB. */
  readonly memoryBytes: number;
  /** What it asks of the browser and the files. */
  readonly callsMax: number;
}

/** Characters of one text that a program hands to the service: what it prints, or the arguments of its calls under way. */
export const FROM_PROGRAM_MAX = 1_048_576;

/** Characters of one answer that a program gets. */
export const TO_PROGRAM_MAX = 2_097_152;

/** What the sandbox gets. */
export interface ProgramStart {
  readonly source: string;
  readonly bounds: ProgramBounds;
}

/** What the sandbox says: something is asked of the browser or the files, or the program has ended. */
export type FromProgram =
  | { readonly kind: 'call'; readonly id: number; readonly name: string; readonly argumentsText: string }
  | { readonly kind: 'printed'; readonly text: string }
  | { readonly kind: 'failed'; readonly reason: string };

/** What came of one call: JSON text, or why it failed. */
export type ToProgram =
  | { readonly id: number; readonly ok: true; readonly answerText: string }
  | { readonly id: number; readonly ok: false; readonly message: string };
