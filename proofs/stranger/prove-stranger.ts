/** Judges the stranger's server, unbroken and with each fault, and writes what the suite caught and missed. */
import { openJournal, type Journal } from '../journal.ts';
import type { Done } from '../work.ts';
import { faults, type Fault } from './faults/index.ts';
import { judge, type Case, type Judged } from './judge.ts';
import { type Outcome, writeEvidence } from './report.ts';
import { DIALECTS, type DialectName } from './server/dialect.ts';

/** Options of the proof. */
export interface StrangerOptions {
  /** Part of the ids of the faults to judge; all when empty. */
  readonly only: string;
  readonly seedsMax: number;
  /** Nothing is begun after this time. */
  readonly minutes: number;
  readonly fresh: boolean;
}

/** One server to judge. */
interface Piece {
  readonly key: string;
  readonly given: Case;
}

const SEED = 1;
const SEEDS_OF_UNBROKEN = 3;

/** Runs in this process at once; most of each is waiting. */
const AT_ONCE = 4;

/**
 * Judges all independent servers, or the faults whose id contains a text. Returns false when the suite misjudges one.
 */
export async function proveStranger(options: StrangerOptions): Promise<boolean> {
  const journal = openJournal('stranger', options.fresh);
  const until = performance.now() + options.minutes * 60_000;
  const isOver = (): boolean => performance.now() > until;
  const chosen = faults.filter(({ id }) => id.includes(options.only));
  if (chosen.length === 0) console.log(`found no fault with "${options.only}" in its id: see proofs/stranger/faults/`);
  await judgeAll(unbroken(options), { journal, isOver });
  const known = await baselines(chosen, { journal, isOver });
  await judgeAll(
    chosen.map((fault) => broken(fault, known, true)),
    { journal, isOver },
  );
  const missed = chosen.filter(({ id }) => journal.done.get(id)?.failing.length === 0);
  await judgeAll(
    missed.map((fault) => broken(fault, known, false)),
    { journal, isOver },
  );
  const outcome = summarize(journal, chosen);
  if (options.only === '') writeEvidence({ ...outcome, commit: journal.commit });
  return outcome.alarms.length + outcome.survivors.length === 0 && outcome.judged === chosen.length;
}

function summarize(journal: Journal, chosen: readonly Fault[]): Outcome {
  const clean = [...journal.done.values()].filter(({ key }) => key.startsWith('unbroken '));
  const alarms = clean.flatMap(({ key, failing, errors, notes }) =>
    [...failing, ...errors].map((id) => `${key}: ${id} ${notes.join(' ')}`),
  );
  const known = chosen.filter(({ id }) => journal.done.has(id));
  const isMissed = ({ id }: Fault): boolean =>
    (journal.done.get(`${id} whole`) ?? journal.done.get(id))?.failing.length === 0;
  const survivors = known.filter(isMissed).flatMap((fault) => {
    const done = journal.done.get(`${fault.id} whole`) ?? journal.done.get(fault.id);
    return done ? [{ fault, done }] : [];
  });
  return { clean, alarms, caught: known.filter((fault) => !isMissed(fault)), survivors, judged: known.length };
}

function isDialect(name: string): name is DialectName {
  return name in DIALECTS;
}

function unbroken({ only, seedsMax }: StrangerOptions): Piece[] {
  if (only !== '') return [];
  const seeds = Array.from({ length: Math.min(seedsMax, SEEDS_OF_UNBROKEN) }, (_, index) => index + 1);
  return Object.keys(DIALECTS)
    .filter(isDialect)
    .flatMap((dialect) =>
      seeds.map((seed) => ({
        key: `unbroken ${dialect} seed ${seed}`,
        given: { faults: [], dialect, spend: 'task', profile: 'documented', seed, known: [], isShort: false },
      })),
    );
}

interface Progress {
  readonly journal: Journal;
  readonly isOver: () => boolean;
}

/** Finds what the unbroken server violates of what the companion says: such rows catch nothing. */
async function baselines(
  chosen: readonly Fault[],
  progress: Progress,
): Promise<ReadonlyMap<string, readonly string[]>> {
  const spends = new Set(chosen.filter(({ source }) => source === 'companion').map(({ spend }) => spend));
  const pieces = [...spends].map((spend): Piece => {
    const given = {
      faults: [],
      dialect: 'plain',
      spend,
      profile: 'full',
      seed: SEED,
      known: [],
      isShort: false,
    } as const;
    return { key: `beyond ${spend}`, given };
  });
  await judgeAll(pieces, progress);
  return new Map([...spends].map((spend) => [spend, progress.journal.done.get(`beyond ${spend}`)?.failing ?? []]));
}

/**
 * A short run ends at its first finding. A fault that it misses is judged again by a whole run with the default settings.
 */
function broken(fault: Fault, known: ReadonlyMap<string, readonly string[]>, isShort: boolean): Piece {
  const isContract = fault.source === 'contract';
  return {
    key: isShort ? fault.id : `${fault.id} whole`,
    given: {
      faults: [fault.id],
      dialect: 'plain',
      spend: fault.spend,
      profile: isContract ? 'documented' : 'full',
      seed: SEED,
      known: isContract ? [] : (known.get(fault.spend) ?? []),
      isShort,
    },
  };
}

async function judgeAll(pieces: readonly Piece[], { journal, isOver }: Progress): Promise<void> {
  const rest = pieces.filter(({ key }) => !journal.done.has(key));
  const work = async (): Promise<void> => {
    for (let piece = rest.shift(); piece && !isOver(); piece = rest.shift()) {
      const judged = await judge(piece.given);
      journal.add(doneFrom(piece, judged));
      if (piece.key.endsWith(' whole') && judged.violated.length === 0)
        console.log(`missed ${piece.given.faults.join()}`);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
}

function doneFrom({ key, given }: Piece, judged: Judged): Done {
  return {
    key,
    server: given.dialect,
    seed: given.seed,
    failing: judged.violated,
    errors: judged.errors,
    hasChanged: judged.isReached,
    left: judged.left,
    requests: judged.requests,
    seconds: judged.seconds,
    notes: judged.note === '' ? [] : [judged.note],
  };
}
