import { mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { runTrial } from '#conformance/clients/run-trial.ts';
import { trials } from '#conformance/clients/trial.ts';
import { openService } from '../../src/cli/check-client/run-check-client.ts';
import type { BrokenClient } from '../../test/check-client/broken-clients.ts';
import { findChange, goodClient } from '../../test/check-client/build-broken-client.ts';

/**
 * A function that returns the names of the trials in which a broken client can differ from the correct client that it
 * is derived from.
 */
export type ReachedTrials = (broken: BrokenClient) => string[];

/** A part of a source file, and how often a program executed it. */
interface CountedRange {
  readonly startOffset: number;
  readonly endOffset: number;
  readonly count: number;
}

/** Counted ranges of each source file of the correct client, by file name. */
type Coverage = ReadonlyMap<string, readonly CountedRange[]>;

const programsAtOnce = 4;

/**
 * Runs the correct client once in each trial and records the code that each trial executes. A broken client behaves
 * like the correct client in a trial that executes none of its changed code, so the returned function leaves this trial
 * out.
 */
export async function measureReachedTrials(): Promise<ReachedTrials> {
  const coverages = new Map<string, Coverage>();
  const waiting = [...trials];
  const work = async (): Promise<void> => {
    for (let trial = waiting.shift(); trial !== undefined; trial = waiting.shift()) {
      const folder = mkdtempSync(join(tmpdir(), 'svc-reached-'));
      const command = ['env', `NODE_V8_COVERAGE=${folder}`, process.execPath, `${goodClient}/adapter.mjs`] as const;
      await runTrial(trial, { command, seed: 1, openService });
      coverages.set(trial.name, readCoverage(folder));
      rmSync(folder, { recursive: true });
    }
  };
  await Promise.all(Array.from({ length: programsAtOnce }, work));
  return ({ changes }) =>
    trials
      .map(({ name }) => name)
      .filter((name) => changes.some(([file, from]) => isReached(coverages.get(name), file, from)));
}

/** Reads the coverage that Node wrote at the end of a program; throws if the folder is empty. */
function readCoverage(folder: string): Coverage {
  const base = `${pathToFileURL(resolve(goodClient)).href}/`;
  const [file] = readdirSync(folder);
  if (file === undefined) throw new Error(`found no coverage in ${folder}, expected that of one program`);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the documented format of NODE_V8_COVERAGE
  const { result } = JSON.parse(readFileSync(join(folder, file), 'utf8')) as CoverageFile;
  return new Map(
    result
      .filter(({ url }) => url.startsWith(base))
      .map(({ url, functions }) => [url.slice(base.length), functions.flatMap(({ ranges }) => ranges)]),
  );
}

interface CoverageFile {
  readonly result: readonly {
    readonly url: string;
    readonly functions: readonly { readonly ranges: readonly CountedRange[] }[];
  }[];
}

/**
 * Returns true if a program executed any part of the text that a change replaces in a file, or if the file has no
 * coverage. `from` is the text or pattern that the change replaces.
 */
function isReached(coverage: Coverage | undefined, file: string, from: string): boolean {
  const ranges = coverage?.get(file);
  if (ranges === undefined) return true;
  const text = readFileSync(join(goodClient, file), 'utf8');
  const found = findChange(text, from);
  let start = -1;
  return text
    .split(found)
    .slice(0, -1)
    .some((before) => {
      start = start === -1 ? before.length : start + found.length + before.length;
      return Array.from(found, (_, at) => start + at).some((offset) => countAt(ranges, offset) > 0);
    });
}

/** Returns how often the innermost range around an offset was executed; 0 if no range contains the offset. */
function countAt(ranges: readonly CountedRange[], offset: number): number {
  const around = ranges.filter(({ startOffset, endOffset }) => startOffset <= offset && offset < endOffset);
  const size = ({ startOffset, endOffset }: CountedRange): number => endOffset - startOffset;
  return around.toSorted((left, right) => size(left) - size(right))[0]?.count ?? 0;
}
