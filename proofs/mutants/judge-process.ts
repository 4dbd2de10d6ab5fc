import { changeFor } from './document-mutants.ts';
import { type Judged, judgeReference } from './judge-reference.ts';
import type { Answer, Order, Piece, Reached } from './piece.ts';

/** Child process of `judging.ts`: judges mutants one after the other and ends when its parent disconnects. */
process.on('message', (order: Order) => {
  void answerTo(order).then((answer) => process.send?.(answer));
});
process.on('disconnect', () => process.exit(0));

let runs = 0;

async function answerTo(order: Order): Promise<Answer> {
  const from = performance.now();
  const run = `run ${(runs += 1)}`;
  switches().currentTestId = run;
  const { hasChanged, ...judged } = order.what === 'judge' ? changed(order.piece) : { hasChanged: () => true };
  const seed = order.what === 'judge' ? order.piece.seed : order.seed;
  const matrix = order.what === 'judge' ? order.matrix : 'sample';
  const judgement = await judgeReference({ ...judged, seed, matrix }).catch((error: unknown) => ({
    result: 'fatal' as const,
    failing: [],
    note: String(error).slice(0, 300),
    hasStopped: false,
  }));
  return {
    ...judgement,
    seconds: Math.round((performance.now() - from) / 100) / 10,
    hasChanged: hasChanged(),
    ...(order.what === 'cover' ? { reached: reachedBy(run) } : {}),
  };
}

type Changed = Pick<Judged, 'rules' | 'around' | 'onJudged'> & { readonly hasChanged: () => boolean };

/** Activates a mutant of the code, or creates the changes of a document. */
function changed(piece: Piece): Changed {
  if (piece.kind === 'document') return changeFor(piece.key);
  switches().activeMutant = piece.id;
  return { onJudged: () => void (switches().activeMutant = undefined), hasChanged: () => true };
}

function reachedBy(run: string): Reached {
  const coverage = switches().mutantCoverage;
  return { loading: Object.keys(coverage?.static ?? {}), running: Object.keys(coverage?.perTest[run] ?? {}) };
}

/** Global object that instrumented code reads; the mutation tool defines its members. */
interface Switches {
  /** Id of the mutant whose code is active; undefined for the unchanged code. */
  activeMutant?: string | undefined;
  /** Name of the run for which reached mutants are counted. Before the first name is set, modules are loading. */
  currentTestId?: string;
  readonly mutantCoverage?: {
    readonly static: Readonly<Record<string, number>>;
    readonly perTest: Readonly<Record<string, Readonly<Record<string, number>>>>;
  };
}

declare global {
  // oxlint-disable-next-line no-var -- a global of the process is declared so
  var __stryker__: Switches | undefined;
}

/** Returns the switches by which this process activates a mutant. */
export function switches(): Switches {
  globalThis.__stryker__ ??= {};
  return globalThis.__stryker__;
}
