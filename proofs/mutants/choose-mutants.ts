import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createDraw } from '../draw.ts';
import type { CodeMutant, Instrumented } from './code-mutants.ts';
import { documentKeys } from './document-mutants.ts';
import { openJudge } from './judging.ts';
import type { Piece, Reached } from './piece.ts';

/** Mutants of the code that a run of the suite reaches. */
export interface ReachedMutants {
  readonly mutants: readonly CodeMutant[];
  /** Switches that are read while modules load, or once in a process. */
  readonly loading: ReadonlySet<string>;
}

/** Runs that tell what is reached: chance decides a little of it. */
const coverRuns = 3;

/** Finds what some runs of the suite reach of the instrumented code; what was found once for a seed is kept beside it. */
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

/** What is drawn. */
export interface Drawing {
  readonly seed: number;
  /** Mutants at most; a larger count takes the same ones and more. */
  readonly count: number;
  /** Part of the keys to draw from. */
  readonly only: string;
}

/** Draws mutants of the code. */
export function drawCode({ mutants }: ReachedMutants, { seed, count, only }: Drawing): Piece[] {
  const drawn = shuffled(mutants, seed).filter(({ key }) => key.includes(only));
  return drawn.slice(0, count).map(({ key, id }) => ({ key, kind: 'code', id, seed }));
}

/** Draws changes of documents. */
export function drawDocuments({ seed, count, only }: Drawing): Piece[] {
  const drawn = shuffled(documentKeys(), seed).filter((key) => key.includes(only));
  return drawn.slice(0, count).map((key) => ({ key, kind: 'document', seed }));
}

function shuffled<T>(list: readonly T[], seed: number): T[] {
  const draw = createDraw(seed);
  return list
    .map((item) => ({ item, place: draw.random() }))
    .toSorted((one, other) => one.place - other.place)
    .map(({ item }) => item);
}
