import { openJudge } from './judging.ts';
import type { Answer, Piece } from './piece.ts';

/** Result of judging one mutant. */
export interface Found extends Pick<Answer, 'result' | 'failing' | 'note' | 'seconds' | 'hasChanged'> {
  readonly key: string;
  readonly kind: Piece['kind'];
  /** Result of judging a surviving mutant again with `--matrix full`. */
  readonly full?: Pick<Answer, 'result' | 'failing' | 'note'>;
}

/** Options of judging mutants. */
export interface JudgingOptions {
  /** Folder of the instrumented sources. */
  readonly folder: string;
  readonly seed: number;
  /**
   * Returns whether a mutant must be active when its process starts, because it is reached while modules load or only
   * in the first run.
   */
  readonly isLoading: (piece: Piece) => boolean;
  readonly isOver: () => boolean;
  readonly onFound: (found: Found) => void;
}

/**
 * Maximum number of mutants per process. After its mutants, a process judges the unchanged reference, to show that no
 * mutant has left an effect.
 */
const batchSize = 24;

/**
 * Judges mutants one after another. Processes judge up to `batchSize` mutants each; a mutant for which `isLoading`
 * returns true has a process of its own.
 */
export async function judgePieces(pieces: readonly Piece[], options: JudgingOptions): Promise<void> {
  const shared = pieces.filter((piece) => !options.isLoading(piece));
  for (let at = 0; at < shared.length && !options.isOver(); ) at += await judgeTogether(shared.slice(at), options);
  for (const piece of pieces.filter(options.isLoading)) {
    if (options.isOver()) return;
    options.onFound(await judgeAlone(piece, options));
  }
}

/**
 * Judges the first mutants in one process; returns their number. When the unchanged reference fails afterwards, judges
 * each of these mutants again separately.
 */
async function judgeTogether(pieces: readonly Piece[], options: JudgingOptions): Promise<number> {
  const done: Piece[] = [];
  await using judge = openJudge(options.folder);
  for (const piece of pieces.slice(0, batchSize)) {
    options.onFound(foundBy(piece, await judge.ask({ what: 'judge', piece, matrix: 'sample' })));
    done.push(piece);
    if (!judge.isReady() || options.isOver()) break;
  }
  // If the last mutant ended the process, earlier mutants were judged by a working process.
  if (!judge.isReady() || (await judge.ask({ what: 'control', seed: options.seed })).result === 'survived')
    return done.length;
  for (const piece of done) options.onFound(await judgeAlone(piece, options));
  return done.length;
}

/** Judges a mutant in a new process. */
async function judgeAlone(piece: Piece, { folder }: Pick<JudgingOptions, 'folder'>): Promise<Found> {
  await using judge = openJudge(folder, { active: piece.id });
  return foundBy(piece, await judge.ask({ what: 'judge', piece, matrix: 'sample' }));
}

/**
 * Judges a surviving mutant again in a new process with the same options. If the mutant survives again, judges it with
 * every cell of every matrix.
 */
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
