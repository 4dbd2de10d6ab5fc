import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { makeDatabase } from '../../test/support/postgres/make-database.ts';
import { startPostgres } from '../../test/support/postgres/start-postgres.ts';
import { type KillsResult, runKills } from './run-kills.ts';
import { startFleetOfRoles } from './fleet-of-roles.ts';
import type { Hosts } from './fleet.ts';
import { startOneProcessFleet } from './one-process-fleet.ts';
import { table } from '../../tools/pages/markdown.ts';

/** Options of the proof. */
export interface ProveKillsOptions {
  readonly kills: number;
  readonly seed: number;
  /** Database: `sqlite`, or `postgres` for a server that the proof starts (Debian's `postgresql`). */
  readonly database: string;
  /** Only these browsers, `simulated` or `local`; empty for both. */
  readonly only: string;
}

interface Part {
  readonly hosts: Hosts;
  /** Whether the fleet has two API processes and two workers in place of one process. */
  readonly isOfRoles: boolean;
  /** Share of the kills, from 0 to 1. */
  readonly share: number;
  readonly clients: number;
  readonly browsersMax: number;
  readonly browserShare: number;
}

const simulated = { hosts: 'simulated', clients: 8, browsersMax: 3, browserShare: 0 } as const;
/** Real browsers: as many as a machine can run, and most of the kills. */
const local = { hosts: 'local', clients: 2, browsersMax: 1, browserShare: 0.6 } as const;

/** Fleets by database: a quarter of the kills for real browsers. Several processes need PostgreSQL. */
const partsOf: Readonly<Record<'sqlite' | 'postgres', readonly Part[]>> = {
  sqlite: [
    { ...simulated, isOfRoles: false, share: 0.75 },
    { ...local, isOfRoles: false, share: 0.25 },
  ],
  postgres: [
    { ...simulated, isOfRoles: false, share: 0.35 },
    { ...local, isOfRoles: false, share: 0.1 },
    { ...simulated, isOfRoles: true, share: 0.4 },
    { ...local, isOfRoles: true, share: 0.15 },
  ],
};

/**
 * Kills services and browsers and writes docs/evidence/kills.md (kills-postgres.md for PostgreSQL); false when a fault
 * was found.
 */
export async function proveKills({ kills, seed, database, only }: ProveKillsOptions): Promise<boolean> {
  const command = `npm run long -- kills --kills ${kills} --seed ${seed} --database ${database}${only === '' ? '' : ` --only ${only}`}`;
  console.log(command);
  const commit = execFileSync('git', ['rev-parse', '--short', 'HEAD'], { encoding: 'utf8' }).trim();
  const begun = performance.now();
  const results: KillsResult[] = [];
  await using owned = new AsyncDisposableStack();
  const server = database === 'postgres' ? await startPostgres() : null;
  owned.defer(() => server?.remove());
  for (const { hosts, isOfRoles, kills: count, ...rest } of plan({ kills, database, only })) {
    const name = `kills_${hosts}_${isOfRoles ? 'roles' : 'one'}`;
    const address = server === null ? null : await makeDatabase(server.address, name);
    const fleet =
      isOfRoles && address !== null
        ? await startFleetOfRoles({ hosts, database: address })
        : await startOneProcessFleet({ hosts, database: address });
    results.push(await runKills({ ...rest, fleet, kills: count, seed, progress: console.log }));
  }
  const seconds = Math.round((performance.now() - begun) / 1000);
  mkdirSync('docs/evidence', { recursive: true });
  writeFileSync(
    `docs/evidence/kills${server === null ? '' : '-postgres'}.md`,
    killsPage(results, { command, seconds, commit, day: new Date().toISOString().slice(0, 10) }),
  );
  return results.every(({ faults }) => faults.length === 0);
}

/** Returns the fleets with their numbers of kills; excluded browsers leave their kills to the others. */
function plan({ kills, database, only }: Pick<ProveKillsOptions, 'kills' | 'database' | 'only'>): (Part & {
  readonly kills: number;
})[] {
  const wanted = partsOf[database === 'postgres' ? 'postgres' : 'sqlite'].filter(
    ({ hosts }) => only === '' || only === hosts,
  );
  const whole = wanted.reduce((sum, { share }) => sum + share, 0);
  return wanted.map((part) => ({ ...part, kills: Math.round((kills * part.share) / whole) }));
}

/** Facts of a run beside its results. */
interface KillsRun {
  readonly command: string;
  readonly seconds: number;
  readonly commit: string;
  /** Day such as 2026-01-31. */
  readonly day: string;
}

/** Returns docs/evidence/kills.md with one chapter per fleet. */
function killsPage(results: readonly KillsResult[], { command, seconds, commit, day }: KillsRun): string {
  const kills = results.reduce((sum, { killed }) => sum + total(killed), 0);
  const faults = results.reduce((sum, result) => sum + result.faults.length, 0);
  return `${[
    '# Kills',
    `Written by \`${command}\` on commit ${commit}, ${day}.`,
    `${kills} times \`kill -9\` of a process at a random moment while clients worked; ${faults} faults in ${seconds} s. What clients were told is kept outside the service and read back after each kill (the newest and some of the others) and at the end (all of it).`,
    'A fault is: something acknowledged that is not there or says something else, an amount that fell, parts that are not their sum, an end that did not last, a task that does not end, events that are lost or out of order, an answer of 500 or none at all while nothing was killed, books that do not add up (tokens and money of steps, runs and sessions; a run begun or completed twice; a profile lease without a holder), a process or folder that is left, bytes without an owner, and a row whose bytes are gone.',
    ...results.flatMap(getChapter),
  ].join('\n\n')}\n`;
}

function getChapter({ description, killed, acknowledged, facts, books, faults, restoredMs }: KillsResult): string[] {
  const slowest = Math.round(Math.max(0, ...restoredMs));
  const sorted = restoredMs.toSorted((one, other) => one - other);
  const median = Math.round(sorted[Math.floor(sorted.length / 2)] ?? 0);
  return [
    `## ${description}`,
    `Killed: ${[...killed].map(([kind, times]) => `${kind} ${times}`).join(', ')}. Served again after ${median} ms (median), ${slowest} ms at most. ${facts} facts read back; the books have ${books.sessions} sessions, ${books.runs} runs and ${books.steps} steps.`,
    table(
      ['Acknowledged', 'Times'],
      [...acknowledged]
        .toSorted(([left], [right]) => left.localeCompare(right))
        .map(([name, times]) => [name, String(times)]),
    ),
    ...(faults.length === 0 ? [] : [`Faults:`, faults.map((fault) => `- ${fault}`).join('\n')]),
  ];
}

function total(counts: ReadonlyMap<string, number>): number {
  return [...counts.values()].reduce((sum, count) => sum + count, 0);
}
