import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createDraw } from '../draw.ts';
import type { CodeMutant, Instrumented } from './code-mutants.ts';
import { documentKeys } from './document-mutants.ts';
import { openJudge } from './judging.ts';
import type { Piece, Reached } from './piece.ts';

/** Code mutants whose changed code is executed in a run of the suite. */
export interface ReachedMutants {
  readonly mutants: readonly CodeMutant[];
  /**
   * Ids of the mutants that must be active when a process starts: their code runs while modules load, or only in the
   * first run of a process.
   */
  readonly loading: ReadonlySet<string>;
}

/**
 * Number of runs that determine the reached mutants. A single run is not enough, because chance decides whether it
 * reaches some mutants.
 */
const coverRuns = 3;

/**
 * Determines which mutants several runs of the suite execute. Caches the result in the folder of the instrumented code,
 * by seed.
 */
export async function findReached({ folder, mutants }: Instrumented, seed: number): Promise<ReachedMutants> {
  const file = join(folder, `reached-${seed}.json`);
  if (!existsSync(file)) writeFileSync(file, JSON.stringify(await cover(folder, seed)));
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- only this file writes it
  const runs = JSON.parse(readFileSync(file, 'utf8')) as Reached[];
  const [first, ...others] = runs;
  const again = new Set(others.flatMap(({ running }) => running));
  const once = first?.running.filter((id) => !again.has(id)) ?? [];
  const loading = new Set([...runs.flatMap((run) => run.loading), ...once]);
  return { mutants: mutants.filter(({ id }) => loading.has(id) || again.has(id)), loading };
}

async function cover(folder: string, seed: number): Promise<Reached[]> {
  await using judge = openJudge(folder, { isCounting: true });
  const runs: Reached[] = [];
  for (let run = 0; run < coverRuns; run += 1) {
    const { result, note, reached } = await judge.ask({ what: 'cover', seed: seed + run });
    if (result !== 'survived' || reached === undefined) {
      throw new Error(
        `found that the suite fails on the unchanged reference (${result}: ${note}), expected a pass: fix that first`,
      );
    }
    runs.push(reached);
  }
  return runs;
}

/** Options of a random selection of mutants. */
export interface Drawing {
  readonly seed: number;
  /** Maximum number of mutants. A larger count selects the same mutants and more. */
  readonly count: number;
  /** Selects only mutants whose keys contain this text; empty to select from all. */
  readonly only: string;
}

/** Selects code mutants at random. */
export function drawCode({ mutants }: ReachedMutants, { seed, count, only }: Drawing): Piece[] {
  const drawn = createDraw(seed)
    .shuffled(mutants)
    .filter(({ key }) => key.includes(only));
  return drawn.slice(0, count).map(({ key, id }) => ({ key, kind: 'code', id, seed }));
}

/** Selects document mutants at random. */
export function drawDocuments({ seed, count, only }: Drawing): Piece[] {
  const drawn = createDraw(seed)
    .shuffled(documentKeys())
    .filter((key) => key.includes(only));
  return drawn.slice(0, count).map((key) => ({ key, kind: 'document', seed }));
}
