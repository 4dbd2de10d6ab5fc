/** Judges the independent server, unbroken and with each fault, and writes docs/evidence/stranger.md. */
import { openJournal, type Journal } from '../journal.ts';
import { choose, type Done } from '../work.ts';
import { faults, type Fault } from './faults/index.ts';
import { judge, type Case, type Judged } from './judge.ts';
import { dialects, type DialectName } from './server/dialect.ts';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';

/** Options of the proof. */
export interface StrangerOptions {
  /** Text that the id of a fault must contain; empty for all faults. */
  readonly only: string;
  readonly seedsMax: number;
  /** Minutes after which the proof begins no further run. */
  readonly minutes: number;
  readonly fresh: boolean;
}

/** One run of the suite, and its key in the journal. */
interface Piece {
  readonly key: string;
  readonly given: Case;
}

const judgedSeed = 1;
const seedsOfUnbroken = 3;

/** Number of runs that this process performs at the same time. Each run waits most of its time. */
const atOnce = 4;

/**
 * Judges the unbroken servers and all faults, and writes the evidence. With `only`, judges only the faults whose id
 * contains this text, and writes no evidence. Returns false for a false alarm, a missed fault, or a fault that was not
 * judged in time.
 */
export async function proveStranger(options: StrangerOptions): Promise<boolean> {
  const chosen = choose(faults, options.only, ({ id }) => id);
  const journal = openJournal('stranger', options.fresh);
  const until = performance.now() + options.minutes * 60_000;
  const isOver = (): boolean => performance.now() > until;
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
  return name in dialects;
}

function unbroken({ only, seedsMax }: StrangerOptions): Piece[] {
  if (only !== '') return [];
  const seeds = Array.from({ length: Math.min(seedsMax, seedsOfUnbroken) }, (_, index) => index + 1);
  return Object.keys(dialects)
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

/**
 * Returns, by spend level, the ids of the requirements that the unbroken server violates with the profile `full`. A
 * violation of these requirements does not count as detection of a fault beyond the contract.
 */
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
      seed: judgedSeed,
      known: [],
      isShort: false,
    } as const;
    return { key: `beyond ${spend}`, given };
  });
  await judgeAll(pieces, progress);
  return new Map([...spends].map((spend) => [spend, progress.journal.done.get(`beyond ${spend}`)?.failing ?? []]));
}

/**
 * Returns the piece of work that judges the server with one fault. A short run ends at its first finding. A fault that
 * the short run misses is judged again by a complete run with default settings.
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
      seed: judgedSeed,
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
  await Promise.all(Array.from({ length: atOnce }, work));
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

const file = 'docs/evidence/stranger.md';
const history = '## By commit';

/** Results of the proof. */
export interface Outcome {
  /** Runs of unbroken servers. */
  readonly clean: readonly Done[];
  /** Findings about unbroken servers: false alarms. */
  readonly alarms: readonly string[];
  readonly caught: readonly Fault[];
  readonly survivors: readonly { readonly fault: Fault; readonly done: Done }[];
  readonly judged: number;
}

/** Writes the results of the current commit to the evidence. Rows of earlier commits are kept. */
function writeEvidence(outcome: Judgement): void {
  const earlier = existsSync(file) ? (readFileSync(file, 'utf8').split(history)[1] ?? '') : '';
  const rows = earlier
    .split('\n')
    .filter((line) => /^\| [0-9a-f]{7,}/.test(line) && !line.startsWith(`| ${outcome.commit} `));
  writeFileSync(file, renderEvidence(outcome, rows));
}

/** The results and the commit that was judged. */
type Judgement = Outcome & { readonly commit: string };

/** Renders the results as Markdown. */
function renderEvidence(outcome: Judgement, rows: readonly string[]): string {
  const { caught, survivors, clean, alarms, commit } = outcome;
  const missed = survivors.map(({ fault }) => fault);
  return [
    '# A server that the suite has never seen',
    `Written by \`npm run long -- stranger\` on commit ${commit}, ${today()}, seed 1.`,
    'The server of proofs/stranger was written from the contract and the companion alone. The suite judges each fault of proofs/stranger/faults with the\n' +
      'default settings, at the lowest spend at which it can find the fault. A fault that violates the contract is judged with the\n' +
      'profile documented, and a fault that violates only the companion with the profile full (beyond).',
    '## Unbroken servers',
    `${clean.length} runs, ${alarms.length} false alarms.`,
    ...(alarms.length === 0 ? [] : [alarms.map((alarm) => `- ${alarm}`).join('\n')]),
    '## By spend',
    table('Spend', { caught, missed, group: ({ spend }) => spend }),
    '## By area',
    table('Area', { caught, missed, group: ({ area }) => area }),
    '## Survivors',
    `${survivors.filter(({ done }) => done.key.endsWith(' whole')).length} of ${survivors.length} were judged by a whole run with the default settings, the others by a run that ends at its\nfirst finding. If the faulty code was never reached, no request could show the fault.`,
    ...(['contract', 'companion'] as const).map((source) => listSurvivors(outcome, source)),
    history,
    [...head, ...rows, historyRow(outcome)].join('\n'),
  ]
    .join('\n\n')
    .concat('\n');
}

interface Split {
  readonly caught: readonly Fault[];
  readonly missed: readonly Fault[];
  readonly group: (fault: Fault) => string;
}

function table(title: string, { caught, missed, group }: Split): string {
  const names = [...new Set([...caught, ...missed].map(group))].toSorted();
  const count = (list: readonly Fault[], name: string | null, source: Fault['source']): number =>
    list.filter((fault) => fault.source === source && (name === null || group(fault) === name)).length;
  const row = (name: string | null): string => {
    const cells = (['contract', 'companion'] as const).flatMap((source) => [
      count(caught, name, source),
      count(missed, name, source),
    ]);
    return `| ${name ?? 'all'} | ${cells.join(' | ')} |`;
  };
  return [
    `| ${title} | Contract: caught | missed | Beyond: caught | missed |`,
    '| --- | --- | --- | --- | --- |',
    ...names.map((name) => row(name)),
    row(null),
  ].join('\n');
}

function listSurvivors({ survivors }: Outcome, source: Fault['source']): string {
  const lines = survivors
    .filter(({ fault }) => fault.source === source)
    .map(({ fault, done }) => {
      const reach = done.hasChanged === false ? ' Never reached.' : '';
      const leftovers = done.left > 0 ? ` The run failed for ${done.left} resources left alive.` : '';
      return `- \`${fault.id}\` (${fault.generation}, ${fault.spend}): ${fault.does}${reach}${leftovers} Breaks: ${fault.sentence}`;
    });
  const heading = source === 'contract' ? '### Of the contract' : '### Beyond the contract';
  return [heading, lines.length === 0 ? 'Every fault was caught.' : lines.join('\n')].join('\n\n');
}

const head = [
  '| Commit | Day | Faults | Contract: caught | missed | Beyond: caught | missed | False alarms |',
  '| --- | --- | --- | --- | --- | --- | --- | --- |',
];

function historyRow({ caught, survivors, alarms, judged, commit }: Judgement): string {
  const cells = (['contract', 'companion'] as const).flatMap((source) => [
    caught.filter((fault) => fault.source === source).length,
    survivors.filter(({ fault }) => fault.source === source).length,
  ]);
  return `| ${[commit, today(), judged, ...cells, alarms.length].join(' | ')} |`;
}

function today(): string {
  return new Date().toISOString().slice(0, 10);
}
