import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { makeDatabase } from '../../../test/support/postgres/make-database.ts';
import { startPostgres } from '../../../test/support/postgres/start-postgres.ts';
import { killsPage } from './kills-page.ts';
import { type KillsResult, runKills } from './run-kills.ts';
import { type Hosts, startOneProcessFleet } from './one-process-fleet.ts';

/** What is to be done. */
export interface ProveKillsOptions {
  readonly kills: number;
  readonly seed: number;
  /** Where state is kept: `sqlite`, or `postgres` for a server that is started for it (Debian's `postgresql`). */
  readonly database: string;
  /** Only these browsers, for all kills; empty for both kinds, a quarter of the kills with real ones. */
  readonly only: string;
}

/** Real browsers are as many as a machine bears; they get a quarter of the kills, and most of those are meant for them. */
const shares: readonly {
  readonly hosts: Hosts;
  readonly share: number;
  readonly clients: number;
  readonly browsersMax: number;
  readonly browserShare: number;
}[] = [
  { hosts: 'simulated', share: 0.75, clients: 8, browsersMax: 3, browserShare: 0 },
  { hosts: 'local', share: 0.25, clients: 2, browsersMax: 1, browserShare: 0.6 },
];

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
  for (const { hosts, share, ...rest } of shares) {
    const count = Math.round(kills * (only === '' ? share : Number(only === hosts)));
    if (count === 0) continue;
    const address = server === null ? null : await makeDatabase(server.address, `kills_${hosts}`);
    const fleet = await startOneProcessFleet({ hosts, database: address });
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
