import type { JsonObject } from '#lib/json.ts';
import type { Stage } from './stage.ts';
import type { Generation } from './sample.ts';

/** A prepared document, or what a tool derives from it once. */
export interface Prepared {
  readonly text: string;
  /** Name of its file in a run. */
  readonly fileName: string;
}

/** One run of a tool against one server. */
export interface Trial {
  readonly stage: Stage;
  readonly generation: Generation;
  /** The prepared text with the URL and ids of the server. */
  readonly file: string;
  /** Folder that the run may write to. */
  readonly folder: string;
}

/** Complaints of a tool without ids, times and other varying values. */
export interface Findings {
  readonly signatures: readonly string[];
  /** Whether the time limit ended the run. */
  readonly cutShort: boolean;
}

/** A tool that tests a server by an OpenAPI document. */
export interface Peer {
  readonly name: string;
  version(): string;
  /** Command for the reader. */
  readonly command: string;
  /** Changes of the document for the tool, if it cannot read it unchanged. */
  readonly input: string;
  /** Returns why the tool cannot run on this machine; undefined if it can. */
  missing(): string | undefined;
  /** Prepares a document; called once per document. */
  prepare(document: JsonObject, folder: string): Promise<Prepared>;
  run(trial: Trial): Promise<Findings>;
}
