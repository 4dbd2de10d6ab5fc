import { openJournal } from '../journal.ts';
import { type ReachedMutants, drawCode, drawDocuments, findReached } from './choose-mutants.ts';
import { answeringFiles, instrumentCode } from './code-mutants.ts';
import { writeMutantsEvidence } from './evidence.ts';
import { type Found, judgeAgain, judgePieces } from './judge-pieces.ts';
import type { Piece } from './piece.ts';
import { type ClassifiedSurvivor, classify, readSurvivors } from './survivors.ts';

/** Options of the proof. */
export interface MutantsOptions {
  /** Maximum number of code mutants, and maximum number of document mutants. */
  readonly mutants: number;
  /** Selects only mutants whose keys contain this text. The evidence is written only if the text is empty. */
  readonly only: string;
  readonly seed: number;
  /** Minutes after which the proof begins no further work. */
  readonly minutes: number;
  readonly fresh: boolean;
}

/**
 * Judges mutants of the code that answers requests and of the documents. Results are kept by commit and seed, and a
 * later run continues from them. Returns false when a survivor is a gap of the suite or is not classified, or when
 * mutants were left unjudged. Rejects if no mutant is selected.
 */
export async function proveMutants({ mutants: count, only, seed, minutes, fresh }: MutantsOptions): Promise<boolean> {
  const instrumented = await instrumentCode(answeringFiles());
  const reached = await findReached(instrumented, seed);
  const drawing = { seed, count, only };
  const pieces = [...drawCode(reached, drawing), ...drawDocuments(drawing)];
  if (pieces.length === 0) throw new Error(`found no mutant with "${only}" in its key, expected at least one`);
  const journal = openJournal<Found>(`mutants-${seed}`, fresh);
  const rest = pieces.filter(({ key }) => !journal.done.has(key));
  console.log(`mutants of seed ${seed} on ${journal.commit}: ${pieces.length} in all, ${rest.length} to judge`);
  const until = performance.now() + minutes * 60_000;
  const isOver = (): boolean => performance.now() > until;
  await judgePieces(rest, {
    folder: instrumented.folder,
    seed,
    isLoading: isLoadingBy(reached),
    isOver,
    onFound: (found) => {
      journal.add(found);
      printFound(found);
    },
  });
  const rows = readSurvivors();
  for (const piece of pieces.filter(({ key }) => isToJudgeAgain(journal.done.get(key), rows))) {
    if (isOver()) break;
    journal.add(await judgeAgain(piece, instrumented.folder));
  }
  const found = pieces.flatMap(({ key }) => journal.done.get(key) ?? []);
  if (only === '')
    writeMutantsEvidence({ commit: journal.commit, seed, instrumented, reached, found, planned: pieces.length }, rows);
  const open = found.filter((one) => isGap(one, rows));
  for (const { key } of open) console.log(`  ${classify(key, rows)?.class ?? 'not classified'}: ${key}`);
  const page = only === '' ? ': docs/evidence/mutants.md' : '';
  console.log(`${found.length} of ${pieces.length} mutants judged, ${open.length} missed or not classified${page}`);
  return found.length === pieces.length && open.length === 0;
}

function isLoadingBy({ loading }: ReachedMutants): (piece: Piece) => boolean {
  return ({ id }) => id !== undefined && loading.has(id);
}

/** Returns whether a mutant survived and is a gap of the suite: classified as `missed`, or not classified. */
function isGap({ key, result }: Found, rows: readonly ClassifiedSurvivor[]): boolean {
  return result === 'survived' && (classify(key, rows)?.class ?? 'missed') === 'missed';
}

/**
 * Returns true for a gap that has not been judged a second time. The second judgement uses a separate process, in which
 * no earlier mutant has left state.
 */
function isToJudgeAgain(found: Found | undefined, rows: readonly ClassifiedSurvivor[]): boolean {
  return found !== undefined && found.full === undefined && isGap(found, rows);
}

function printFound({ key, result, failing, note }: Found): void {
  console.log(
    `  ${result} ${key}${failing.length === 0 ? '' : ` by ${failing.join(', ')}`}${note === '' ? '' : `: ${note}`}`,
  );
}
