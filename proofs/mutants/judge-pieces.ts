import { openJudge } from './judging.ts';
import type { Answer, Piece } from './piece.ts';

/** What was found of one mutant. */
export interface Found extends Pick<Answer, 'result' | 'failing' | 'note' | 'seconds' | 'hasChanged'> {
  readonly key: string;
  readonly kind: Piece['kind'];
  /** Of a survivor: what a run with `--matrix full` finds. */
  readonly full?: Pick<Answer, 'result' | 'failing' | 'note'>;
}

/** How mutants are judged. */
export interface JudgingOptions {
  /** Folder of the instrumented sources. */
  readonly folder: string;
  readonly seed: number;
  /** Whether a mutant is reached while modules load, so that its process has to begin with it. */
  readonly isLoading: (piece: Piece) => boolean;
  readonly isOver: () => boolean;
  readonly onFound: (found: Found) => void;
}

/** Mutants that a process judges before the unchanged reference shows that none of them has left anything behind. */
const batchSize = 24;

/** Judges mutants one after the other, many in one process. */
export async function judgePieces(pieces: readonly Piece[], options: JudgingOptions): Promise<void> {
  const shared = pieces.filter((piece) => !options.isLoading(piece));
  for (let at = 0; at < shared.length && !options.isOver(); ) at += await judgeTogether(shared.slice(at), options);
  for (const piece of pieces.filter(options.isLoading)) {
    if (options.isOver()) return;
    options.onFound(await judgeAlone(piece, options));
  }
}

/** Judges the first mutants in one process; answers how many. When the unchanged reference fails after them, all are judged apart again. */
async function judgeTogether(pieces: readonly Piece[], options: JudgingOptions): Promise<number> {
  const done: Piece[] = [];
  await using judge = openJudge(options.folder);
  for (const piece of pieces.slice(0, batchSize)) {
    options.onFound(foundBy(piece, await judge.ask({ what: 'judge', piece, matrix: 'sample' })));
    done.push(piece);
    if (!judge.isReady() || options.isOver()) break;
  }
  // The last one ended the process: those before it were judged by a process that worked.
  if (!judge.isReady() || (await judge.ask({ what: 'control', seed: options.seed })).result === 'survived')
    return done.length;
  for (const piece of done) options.onFound(await judgeAlone(piece, options));
  return done.length;
}

/** Judges a mutant in a process of its own. */
async function judgeAlone(piece: Piece, { folder }: Pick<JudgingOptions, 'folder'>): Promise<Found> {
  await using judge = openJudge(folder, { active: piece.id });
  return foundBy(piece, await judge.ask({ what: 'judge', piece, matrix: 'sample' }));
}

/** Judges a survivor in a process of its own, as before and then with every cell of every matrix. */
export async function judgeAgain(piece: Piece, folder: string): Promise<Found> {
  await using judge = openJudge(folder, { active: piece.id });
  const found = foundBy(piece, await judge.ask({ what: 'judge', piece, matrix: 'sample' }));
  if (found.result !== 'survived' || !judge.isReady()) return found;
  const { result, failing, note } = await judge.ask({ what: 'judge', piece, matrix: 'full' });
  return { ...found, full: { result, failing, note } };
}

function foundBy({ key, kind }: Piece, { result, failing, note, seconds, hasChanged }: Answer): Found {
  return { key, kind, result, failing, note, seconds, hasChanged };
}
