import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { allOperations } from '../../conformance/harness/operations.ts';
import { fuzzPage } from './fuzz-page.ts';
import { replay } from './replay.ts';
import { runFuzz } from './run-fuzz.ts';

/** What is to be done. */
export interface ProveFuzzOptions {
  readonly requests: number;
  readonly seed: number;
  readonly minutes: number;
  /** One request to send instead, as it was printed. */
  readonly replay?: string | undefined;
}

const windows = 10;

/** Sends the requests and writes docs/evidence/fuzz.md; false when something was wrong. */
export async function proveFuzz({ requests, seed, minutes, replay: text }: ProveFuzzOptions): Promise<boolean> {
  if (text !== undefined) return replay(text);
  console.log(`${requests} requests with seed ${seed}: npm run long -- fuzz --requests ${requests} --seed ${seed}`);
  const commit = execFileSync('git', ['rev-parse', '--short', 'HEAD'], { encoding: 'utf8' }).trim();
  const begun = performance.now();
  const result = await runFuzz({ requests, seed, minutes, windows, progress: console.log });
  const seconds = Math.round((performance.now() - begun) / 1000);
  const day = new Date().toISOString().slice(0, 10);
  mkdirSync('docs/evidence', { recursive: true });
  writeFileSync(
    'docs/evidence/fuzz.md',
    fuzzPage(result, { seed, seconds, commit, day, operations: allOperations.length }),
  );
  return result.sent === requests && result.faults.kinds.size === 0;
}
