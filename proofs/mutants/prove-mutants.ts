import { openJournal } from '../journal.ts';
import { type ReachedMutants, drawCode, drawDocuments, findReached } from './choose-mutants.ts';
import { answeringFiles, instrumentCode } from './code-mutants.ts';
import { writeMutantsEvidence } from './evidence.ts';
import { type Found, judgeAgain, judgePieces } from './judge-pieces.ts';
import type { Piece } from './piece.ts';
import { type ClassifiedSurvivor, classify, readSurvivors } from './survivors.ts';

/** What the proof is made with. */
export interface MutantsOptions {
  /** Mutants of the code, and changes of documents, at most. */
  readonly mutants: number;
  /** Part of the keys to take; the evidence stays as it is then. */
  readonly only: string;
  readonly seed: number;
  /** Nothing is begun after this time. */
  readonly minutes: number;
  readonly fresh: boolean;
}

/**
 * Judges mutants that a tool and a program made: of the code that answers requests, and of the documents. What was found is kept and
 * goes on from there, by commit and seed. False when a survivor is missed, or is not classified.
 */
export async function proveMutants({ mutants: count, only, seed, minutes, fresh }: MutantsOptions): Promise<boolean> {
  const instrumented = await instrumentCode(answeringFiles());
  const reached = await findReached(instrumented, seed);
  const drawing = { seed, count, only };
  const pieces = [...drawCode(reached, drawing), ...drawDocuments(drawing)];
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
  console.log(
    `${found.length} of ${pieces.length} mutants judged, ${open.length} missed or not classified: docs/evidence/mutants.md`,
  );
  return found.length === pieces.length && open.length === 0;
}

function isLoadingBy({ loading }: ReachedMutants): (piece: Piece) => boolean {
  return ({ id }) => id !== undefined && loading.has(id);
}

/** A survivor that is a gap of the suite as far as is known. */
function isGap({ key, result }: Found, rows: readonly ClassifiedSurvivor[]): boolean {
  return result === 'survived' && (classify(key, rows)?.class ?? 'missed') === 'missed';
}

/** A gap is judged apart: in the process that it shared, something that an earlier mutant had derived may have hidden it. */
function isToJudgeAgain(found: Found | undefined, rows: readonly ClassifiedSurvivor[]): boolean {
  return found !== undefined && found.full === undefined && isGap(found, rows);
}

function printFound({ key, result, failing, note }: Found): void {
  console.log(
    `  ${result} ${key}${failing.length === 0 ? '' : ` by ${failing.join(', ')}`}${note === '' ? '' : `: ${note}`}`,
  );
}
