/** Writes docs/evidence/stranger.md. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import type { Fault } from './faults/index.ts';
import type { Done } from '../work.ts';

const FILE = 'docs/evidence/stranger.md';
const HISTORY = '## By commit';

/** Results of the proof. */
export interface Outcome {
  /** Runs of unbroken servers. */
  readonly clean: readonly Done[];
  /** Findings about unbroken servers. */
  readonly alarms: readonly string[];
  readonly caught: readonly Fault[];
  readonly survivors: ReadonlyArray<{ readonly fault: Fault; readonly done: Done }>;
  readonly judged: number;
}

/** Writes the results of the current commit to the evidence. Rows of earlier commits are kept. */
export function writeEvidence(outcome: Judgement): void {
  const earlier = existsSync(FILE) ? (readFileSync(FILE, 'utf8').split(HISTORY)[1] ?? '') : '';
  const rows = earlier
    .split('\n')
    .filter((line) => /^\| [0-9a-f]{7,}/.test(line) && !line.startsWith(`| ${outcome.commit} `));
  writeFileSync(FILE, renderEvidence(outcome, rows));
}

/** What was judged, and on which commit. */
type Judgement = Outcome & { readonly commit: string };

/** Renders what was judged as Markdown. */
function renderEvidence(outcome: Judgement, rows: readonly string[]): string {
  const { caught, survivors, clean, alarms, commit } = outcome;
  const missed = survivors.map(({ fault }) => fault);
  return [
    '# A server that the suite has never seen',
    `Written by \`npm run long -- stranger\` on commit ${commit}, ${today()}, seed 1.`,
    'The server of proofs/stranger was written from the contract alone. Each fault of proofs/stranger/faults is judged with the default\n' +
      'settings at the spend at which it can be seen: what breaks the contract with the profile documented, what breaks only the\n' +
      'companion with the profile full (beyond).',
    '## Unbroken servers',
    `${clean.length} runs, ${alarms.length} false alarms.`,
    ...(alarms.length === 0 ? [] : [alarms.map((alarm) => `- ${alarm}`).join('\n')]),
    '## By spend',
    table('Spend', { caught, missed, group: ({ spend }) => spend }),
    '## By area',
    table('Area', { caught, missed, group: ({ area }) => area }),
    '## Survivors',
    `${survivors.filter(({ done }) => done.key.endsWith(' whole')).length} of ${survivors.length} were judged by a whole run with the default settings, the others by a run that ends at its\nfirst finding. A fault whose place was never reached met no request that could show it.`,
    ...(['contract', 'companion'] as const).map((source) => listSurvivors(outcome, source)),
    HISTORY,
    [...HEAD, ...rows, historyRow(outcome)].join('\n'),
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
      const leftovers = done.left > 0 ? ` The run failed for ${done.left} things left alive.` : '';
      return `- \`${fault.id}\` (${fault.generation}, ${fault.spend}): ${fault.does}${reach}${leftovers} Breaks: ${fault.sentence}`;
    });
  const heading = source === 'contract' ? '### Of the contract' : '### Beyond the contract';
  return [heading, lines.length === 0 ? 'Every fault was caught.' : lines.join('\n')].join('\n\n');
}

const HEAD = [
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
