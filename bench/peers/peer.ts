import { appendFileSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { placeOn } from './prepare-document.ts';
import type { Broken, Generation } from './sample.ts';
import { type Counts, openStage, type Stage } from './stage.ts';
import type { JsonObject } from '#lib/json.ts';

/**
 * Input of a tool for all servers of one generation: the prepared document, or a text that the tool derives from it.
 */
export interface Prepared {
  readonly text: string;
  /** Name of the file to which a run writes the text. */
  readonly fileName: string;
}

/** One run of a tool against one server. */
export interface Trial {
  readonly stage: Stage;
  readonly generation: Generation;
  /** Path of the file with the prepared text. Its placeholders are replaced by the URL and ids of the server. */
  readonly file: string;
  /** Folder that the tool may write to. */
  readonly folder: string;
}

/**
 * Complaints of a tool about one server. Ids, times and other varying values are removed, so that runs can be compared.
 */
export interface Findings {
  readonly signatures: readonly string[];
  /** Whether the time limit ended the run. */
  readonly cutShort: boolean;
}

/** A tool that tests a server with an OpenAPI document. */
export interface Peer {
  readonly name: string;
  version(): string;
  /** Command line of the tool, for the evidence page. */
  readonly command: string;
  /** Description of the tool's input for the evidence page: the unchanged document, or how the document was changed. */
  readonly input: string;
  /** Returns the reason why the tool cannot run on this machine; undefined if it can run. */
  missing(): string | undefined;
  /** Prepares a document; called once per document. */
  prepare(document: JsonObject, folder: string): Promise<Prepared>;
  run(trial: Trial): Promise<Findings>;
}

/** Result of one run of one tool. */
export interface Measured extends Counts {
  readonly peer: string;
  /** Id of the broken server; null for a good server. */
  readonly mutant: string | null;
  readonly generation: Generation;
  readonly seconds: number;
  readonly cutShort: boolean;
  readonly signatures: readonly string[];
}

/** A run to perform: the tool, its prepared input, and the server to judge. */
export interface Job {
  readonly peer: Peer;
  readonly prepared: Prepared;
  readonly generation: Generation;
  readonly mutant: Broken | null;
}

/** Runs a tool once against a new server. */
export async function measurePeer({ peer, prepared, generation, mutant }: Job, scratch: string): Promise<Measured> {
  mkdirSync(scratch, { recursive: true });
  const folder = mkdtempSync(join(scratch, 'run-'));
  const stage = await openStage(generation, mutant ?? undefined);
  try {
    const file = join(folder, prepared.fileName);
    writeFileSync(file, placeOn(stage, prepared.text));
    const start = performance.now();
    const { signatures, cutShort } = await peer.run({ stage, generation, file, folder });
    const seconds = (performance.now() - start) / 1000;
    const counts = stage.count();
    return { peer: peer.name, mutant: mutant?.id ?? null, generation, seconds, cutShort, ...counts, signatures };
  } finally {
    await stage.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Returns all stored runs in a folder. Each tool has a file in the folder, with one run per line. */
export function readRuns(folder: string): Measured[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith('.ndjson'))
    .flatMap((name) => readFileSync(join(folder, name), 'utf8').split('\n'))
    .filter((line) => line !== '')
    .map((line): Measured => JSON.parse(line));
}

/** Appends a run to the file of its tool. */
export function writeRuns(folder: string, run: Measured): void {
  appendFileSync(join(folder, `${run.peer.replaceAll(/\W+/g, '-').toLowerCase()}.ndjson`), `${JSON.stringify(run)}\n`);
}
