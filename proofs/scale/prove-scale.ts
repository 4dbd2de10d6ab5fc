import { mkdirSync, writeFileSync } from 'node:fs';
import { startPostgres } from '../../test/support/postgres/start-postgres.ts';
import { currentCommit } from '../journal.ts';
import type { Hosts } from '../kills/fleet.ts';
import { type ScaleResult, judgeScaled } from './judge-scaled.ts';
import { scalePage } from './scale-page.ts';

/** Options of the proof. */
export interface ProveScaleOptions {
  readonly seed: number;
  /** `simulated` for simulated browsers; empty for real ones. */
  readonly only: string;
  /** Value of `--only`; empty for everything, and only then evidence is written. */
  readonly rows: string;
}

const killEveryMs = 20_000;

/**
 * Judges a service of several processes without and with kills of workers, and writes docs/evidence/scale.md
 * (scale-simulated.md for simulated browsers); false when a fault was found.
 */
export async function proveScale({ seed, only, rows }: ProveScaleOptions): Promise<boolean> {
  const hosts: Hosts = only === 'simulated' ? 'simulated' : 'local';
  const command = `npm run long -- scale --seed ${seed}${only === '' ? '' : ` --only ${only}`}`;
  console.log(command);
  const begun = performance.now();
  await using owned = new AsyncDisposableStack();
  const server = await startPostgres();
  owned.defer(() => server.remove());
  const results: ScaleResult[] = [];
  for (const every of [null, killEveryMs]) {
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
