import type { JsonObject } from '#lib/json.ts';
import type { Stage } from './stage.ts';
import type { Generation } from './sample.ts';

/** A prepared document, or whatever a tool makes of it once. */
export interface Prepared {
  readonly text: string;
  /** Name of the file that it becomes for a run. */
  readonly fileName: string;
}

/** One run of a tool against one server. */
export interface Trial {
  readonly stage: Stage;
  readonly generation: Generation;
  /** The prepared text with the address and the ids of the server. */
  readonly file: string;
  /** Where the run may write. */
  readonly folder: string;
}

/** What a tool complained of, free of ids, times and other values that differ from run to run. */
export interface Findings {
  readonly signatures: readonly string[];
  /** Whether its time was up before it came to an end. */
  readonly cutShort: boolean;
}

/** A tool that judges a server by our documents. */
export interface Peer {
  readonly name: string;
  version(): string;
  /** How it is called, for the reader. */
  readonly command: string;
  /** What of our documents it is given, where it cannot take them as they are. */
  readonly input: string;
  /** Why it cannot run here; undefined where it can. */
  missing(): string | undefined;
  /** Done once for each document. */
  prepare(document: JsonObject, folder: string): Promise<Prepared>;
  run(trial: Trial): Promise<Findings>;
}
