import { currentCommit } from '../../tools/measure/evidence.ts';
import type { Column } from './compare.ts';
import type { Peer } from './peer.ts';
import type { Sampled } from './sample.ts';

/** Data for the evidence page. */
export interface Evidence {
  /** Combined results, one for each tool. */
  readonly columns: readonly Column[];
  /** Broken servers that at least one tool was run against. */
  readonly sample: readonly Sampled[];
  readonly peers: readonly Peer[];
  /** Number of runs of each tool against the good server of each generation. */
  readonly goodRuns: number;
  /** Remark about this measurement for the reader of the page. */
  readonly note: string;
}

/** Returns the page as Markdown. */
export function evidencePage(evidence: Evidence): string {
  return [
    '# The same broken servers, judged by other tools',
    introduction(evidence),
    '## Kills by class of fault',
    killTable(evidence),
    '## What a run costs, and what it gets wrong',
    costTable(evidence),
    '## How each was called',
    ...evidence.peers.map(getCall),
    '## What this does not show',
    evidence.note === '' ? caveats : `${caveats}\n- ${evidence.note}`,
    '## Every broken server',
    mutantTable(evidence),
    '',
  ].join('\n\n');
}

function introduction({ sample, goodRuns, columns }: Evidence): string {
  const kinds = new Set(sample.map(({ kind }) => kind)).size;
  return `Written by \`npm run bench:peers\` at commit ${currentCommit()}: ${sample.length} broken servers in ${kinds} classes, selected
from the tables of \`test/mutants\` (the same number of each class, spread evenly over its tables; \`bench/peers/sample.ts\`
adds crashes), and the good server ${goodRuns} times for each generation; ${sum(columns.map(({ runs }) => runs))} runs in all.
Each run has a reference backend of its own with simulated browsers, and is given the document of the generation that the
mutant breaks. A proxy in front of it counts requests and creations. Resources that are left alive are read from its storage;
resources that existed before the run do not count. **Kill** = a complaint that no run of the tool against the good server has.`;
}

function killTable({ columns, sample, peers }: Evidence): string {
  const absent = peers.filter(({ name }) => !columns.some(({ peer }) => peer === name));
  const kinds = [...new Set(sample.map(({ kind }) => kind))];
  const ratio = ({ killed, met }: Column, among: readonly Sampled[]): string => {
    const count = (ids: readonly string[]): number => among.filter(({ id }) => ids.includes(id)).length;
    return count(met) === 0 ? '-' : `${count(killed)}/${count(met)}`;
  };
  const row = (name: string, among: readonly Sampled[]): string[] => [
    name,
    ...columns.map((column) => ratio(column, among)),
    ...absent.map((peer) => `not run: ${peer.missing() ?? 'not asked for'}`),
  ];
  const shared = sample.filter(({ id }) => columns.every(({ met }) => met.includes(id)));
  return table([
    ['class', ...columns.map(({ peer }) => peer), ...absent.map(({ name }) => name)],
    ...kinds.map((kind) =>
      row(
        kind,
        sample.filter((mutant) => mutant.kind === kind),
      ),
    ),
    row('**all that it was run against**', sample),
    row(`**the ${shared.length} that all were run against**`, shared),
  ]);
}

function costTable({ columns }: Evidence): string {
  const figures: readonly (readonly [string, (column: Column) => string])[] = [
    ['complaints about the good server, all generations', ({ falseAlarms }) => String(falseAlarms)],
    ['of these, in one run alone', ({ unsteady }) => String(unsteady)],
    ['requests, median', ({ requests }) => String(requests)],
    ['seconds, median', ({ seconds }) => seconds.toFixed(0)],
    ['created, median', ({ created }) => String(created)],
    ['left alive, median', ({ leftAlive }) => String(leftAlive)],
    ['runs cut short by the time limit', ({ cutShort, runs }) => `${cutShort} of ${runs}`],
  ];
  const rows = figures.map(([name, figure]) => [name, ...columns.map(figure)]);
  return table([['a run', ...columns.map(({ peer }) => peer)], ...rows]);
}

function getCall(peer: Peer): string {
  const version = peer.missing() === undefined ? peer.version() : `not run: ${peer.missing() ?? ''}`;
  return `- **${peer.name}** (${version}). Input: ${peer.input}.\n  \`${peer.command}\``;
}

function mutantTable({ columns, sample }: Evidence): string {
  const rows = sample.map(({ id, kind, generation, breaks }) => [
    `\`${id}\` (${generation}, ${kind}): ${breaks}`,
    ...columns.map((column) => outcome(column, id)),
  ]);
  return table([['mutant', ...columns.map(({ peer }) => peer)], ...rows]);
}

/** Returns what happened to a mutant under one tool. */
function outcome({ killed, met }: Evidence['columns'][number], id: string): string {
  if (killed.includes(id)) return 'killed';
  return met.includes(id) ? 'survived' : 'not run';
}

const caveats = `- Both the mutants and the suite are ours, and each mutant of the tables was written beside the row that it breaks: that the
  suite kills them shows that its checks work, not that there are no other faults. What other tools kill shows what a document
  alone can find out; none of them claims to know the rules of this contract.
- Every other tool is used as it comes, with its key, its flags for generated tests, ids that exist and examples that fit.
  All of them can be taught more by hand.
- Complaints about the good server are no faults of a tool where a document promises an answer that takes a state which
  no client has set up (a purge that the project may not do, a file without an upload); a person still has to read them.
- Specmatic is held to one combination of members for each request: with all of them it had sent 10,000 requests to one operation
  in five minutes and had not come to the next.
- A cell of the first table reads: killed / run against. Tools were run for as long as the measurement was given, so that slow
  ones have met fewer; the last line compares them on the same servers. The order takes one of each class before a second of any.
- Left alive: sessions and browsers that run, profiles and workspaces that are kept.
- Seconds are those of a busy machine of two cores, on which several runs shared the time: they compare tools at best roughly.`;

function table(rows: readonly (readonly string[])[]): string {
  const lines = rows.map((cells) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`);
  const [head = '', ...body] = lines;
  return [head, `|${'---|'.repeat(rows[0]?.length ?? 0)}`, ...body].join('\n');
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
