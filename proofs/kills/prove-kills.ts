import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { makeDatabase } from '../../test/support/postgres/make-database.ts';
import { startPostgres } from '../../test/support/postgres/start-postgres.ts';
import { killsPage } from './kills-page.ts';
import { type KillsResult, runKills } from './run-kills.ts';
import { startFleetOfRoles } from './fleet-of-roles.ts';
import type { Hosts } from './hosts.ts';
import { startOneProcessFleet } from './one-process-fleet.ts';

/** What is to be done. */
export interface ProveKillsOptions {
  readonly kills: number;
  readonly seed: number;
  /** Where state is kept: `sqlite`, or `postgres` for a server that is started for it (Debian's `postgresql`). */
  readonly database: string;
  /** Only these browsers, `simulated` or `local`, for all kills; empty for both. */
  readonly only: string;
}

interface Part {
  readonly hosts: Hosts;
  /** Whether it is two processes that answer and two that work, or one process. */
  readonly isOfRoles: boolean;
  /** Its share of the kills, of 1. */
  readonly share: number;
  readonly clients: number;
  readonly browsersMax: number;
  readonly browserShare: number;
}

const simulated = { hosts: 'simulated', clients: 8, browsersMax: 3, browserShare: 0 } as const;
/** Real browsers are as many as a machine bears, and most of the kills are meant for them. */
const local = { hosts: 'local', clients: 2, browsersMax: 1, browserShare: 0.6 } as const;

/** What is killed, by where state is kept: real browsers get a quarter. Several processes need PostgreSQL. */
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

/** Kills services and browsers and writes docs/evidence/kills.md (of PostgreSQL kills-postgres.md); false when something was wrong. */
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

/** What is killed how often; the kinds of browsers that are left out leave their kills to the others. */
function plan({ kills, database, only }: Pick<ProveKillsOptions, 'kills' | 'database' | 'only'>): (Part & {
  readonly kills: number;
})[] {
  const wanted = partsOf[database === 'postgres' ? 'postgres' : 'sqlite'].filter(
    ({ hosts }) => only === '' || only === hosts,
  );
  const whole = wanted.reduce((sum, { share }) => sum + share, 0);
  return wanted.map((part) => ({ ...part, kills: Math.round((kills * part.share) / whole) }));
}
