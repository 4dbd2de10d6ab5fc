import { mkdirSync, writeFileSync } from 'node:fs';
import { startPostgres } from '../../test/support/postgres/start-postgres.ts';
import { currentCommit } from '../../tools/measure/evidence.ts';
import type { Hosts } from '../kills/fleet.ts';
import { type ScaleResult, judgeScaled } from './judge-scaled.ts';
import type { Report, Totals } from '#conformance/core/report.ts';
import { table } from '../../tools/pages/markdown.ts';
import type { SplitFindings } from './blame.ts';

/** Options of the proof. */
interface ProveScaleOptions {
  readonly seed: number;
  /** `simulated` for simulated browsers; any other value for real browsers. */
  readonly only: string;
  /** Value of `svc check --only`; empty for all requirements. Evidence is written only when this is empty. */
  readonly rows: string;
}

const killPeriodMs = 20_000;

/**
 * Judges a service of several processes, without and with kills of workers. If `rows` is empty, writes
 * docs/evidence/scale.md, or scale-simulated.md for simulated browsers. Returns false when a fault was found.
 */
export async function proveScale({ seed, only, rows }: ProveScaleOptions): Promise<boolean> {
  const hosts: Hosts = only === 'simulated' ? 'simulated' : 'local';
  const chosen = [...(only === '' ? [] : ['--only', only]), ...(rows === '' ? [] : ['--rows', rows])];
  const command = ['npm run long -- scale --seed', seed, ...chosen].join(' ');
  console.log(command);
  const begun = performance.now();
  await using owned = new AsyncDisposableStack();
  const server = await startPostgres();
  owned.defer(() => server.remove());
  const results: ScaleResult[] = [];
  for (const every of [null, killPeriodMs]) {
    const common = { hosts, seed, server: server.address, only: rows, progress: console.log };
    const result = await judgeScaled({ ...common, killEveryMs: every });
    results.push(result);
    for (const { by, finding } of result.blame.excused) console.log(`  excused by ${by}: ${finding}`);
    for (const fault of result.faults) console.log(`  fault: ${fault}`);
  }
  const seconds = Math.round((performance.now() - begun) / 1000);
  const day = new Date().toISOString().slice(0, 10);
  if (rows === '') {
    mkdirSync('docs/evidence', { recursive: true });
    const file = `docs/evidence/scale${hosts === 'simulated' ? '-simulated' : ''}.md`;
    writeFileSync(file, scalePage(results, { command, seconds, commit: currentCommit(), day }));
  }
  return results.every(({ faults }) => faults.length === 0);
}

/** Facts about a run that the page states in addition to the results. */
interface ScalePage {
  readonly command: string;
  readonly seconds: number;
  readonly commit: string;
  /** Day of the run, such as 2026-01-31. */
  readonly day: string;
}

/** Returns the text of docs/evidence/scale.md with one chapter per run of the suite. */
function scalePage(results: readonly ScaleResult[], { command, seconds, commit, day }: ScalePage): string {
  const faults = results.reduce((sum, result) => sum + result.faults.length, 0);
  return `${[
    '# Several processes',
    `Written by \`${command}\` on commit ${commit}, ${day}.`,
    `Two API processes behind a round-robin load balancer, two workers, one PostgreSQL: \`svc check <balancer> --profile full --spend task\` with the target file of the reference. ${faults} faults in ${seconds} s.`,
    'Workers are killed with `kill -9` and started again at the same address. The proof reads from the database which sessions and browsers a killed worker owned, from before the kill until other processes have cleaned up. A finding is excused if its exchange names one of these (itself), or if its scenario used one of these (scenario). With simulated browsers, a finding that needs a Chromium is excused too (simulation). A fault is any other finding, an answer of 500 or more, a missing answer, a resource that remains on the service, stored amounts that contradict each other (as in kills.md), and a process that remains. Only the run without kills moves the clock, because a process that starts later would have another time.',
    ...results.flatMap(getChapter),
  ].join('\n\n')}\n`;
}

function getChapter({ run, report, killed, blame, books, faults }: ScaleResult): string[] {
  const { hosts, killEveryMs, seed } = run;
  const [median, slowest] = spread(killed.clearedMs);
  const killing =
    killEveryMs === null
      ? 'Nothing was killed.'
      : `${killed.kills} workers killed, one every ${killEveryMs / 1000} s; ${killed.lost.size} sessions and browsers died with them or waited for another worker; cleaned up after ${median} ms (median), ${slowest} ms at most.`;
  return [
    `## ${hosts} browsers, ${killEveryMs === null ? 'without kills' : 'while workers are killed'}`,
    `Seed ${seed}. ${report.exchangeCount} exchanges in ${Math.round(report.durationMs / 1000)} s. ${killing} The database has ${books.sessions} sessions, ${books.runs} runs and ${books.steps} steps. ${faults.length} faults.`,
    totalsTable(report),
    ...(blame.excused.length === 0 ? [] : [`Excused: ${blame.excused.length} findings.`, ...getExcused(blame)]),
    ...(faults.length === 0 ? [] : ['Faults:', ...renderList(faults)]),
  ];
}

function getExcused({ excused }: SplitFindings): string[] {
  return renderList(excused.map(({ finding, by }) => `${by}: ${finding}`));
}

function renderList(lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : [lines.map((line) => `- ${line}`).join('\n')];
}

const columns: readonly (keyof Totals)[] = [
  'passed',
  'violations',
  'warnings',
  'notes',
  'notTestable',
  'notRun',
  'errors',
];

function totalsTable({ totals, beyond }: Report): string {
  const row = (name: string, of: Totals): string[] => [name, ...columns.map((column) => String(of[column]))];
  return table(['Rows', ...columns], [row('of the contract', totals), row('beyond it', beyond)]);
}

function spread(times: readonly number[]): readonly [number, number] {
  const sorted = times.toSorted((one, other) => one - other);
  return [Math.round(sorted[Math.floor(sorted.length / 2)] ?? 0), Math.round(sorted.at(-1) ?? 0)];
}
