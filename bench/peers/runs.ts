import { appendFileSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Measured } from './measure-peer.ts';

/** Every run in a folder; each tool has a file of its own there, a line for each run. */
export function readRuns(folder: string): Measured[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith('.ndjson'))
    .flatMap((name) => readFileSync(join(folder, name), 'utf8').split('\n'))
    .filter((line) => line !== '')
    .map((line): Measured => JSON.parse(line));
}

/** Adds a run to the file of its tool. */
export function writeRuns(folder: string, run: Measured): void {
  appendFileSync(join(folder, `${run.peer.replaceAll(/\W+/g, '-').toLowerCase()}.ndjson`), `${JSON.stringify(run)}\n`);
}
