import { currentCommit } from '../../tools/measure/evidence.ts';
import { mkdirSync, writeFileSync } from 'node:fs';
import { allOperations } from '#conformance/core/operations.ts';
import { runFuzz, type FuzzResult } from './run-fuzz.ts';
import { Pool } from 'undici';
import { parseJson } from '#conformance/core/json.ts';
import { createFaults } from './fuzz-faults.ts';
import { startFuzzedService } from './fuzzed-service.ts';
import type { FuzzedRequest } from './fuzzed-request.ts';
import { furnish } from './furnish.ts';
import { createSender } from './send-and-judge.ts';
import { createWorld } from './world.ts';
import { table } from '../../tools/pages/markdown.ts';
import type { Held } from './measure-held.ts';

/** Options of the proof. */
export interface ProveFuzzOptions {
  readonly requests: number;
  readonly seed: number;
  readonly minutes: number;
  /** Request to send in place of generated requests, in the form in which the fuzzer prints it with a fault. */
  readonly replay?: string | undefined;
}

const windows = 10;

/**
 * Sends generated requests and writes docs/evidence/fuzz.md. Returns false when a fault was found, or when the time
 * limit was reached before all requests were sent. With `replay`, sends only that request and writes nothing.
 */
export async function proveFuzz({ requests, seed, minutes, replay: text }: ProveFuzzOptions): Promise<boolean> {
  if (text !== undefined) return replay(text);
  console.log(`${requests} requests with seed ${seed}: npm run long -- fuzz --requests ${requests} --seed ${seed}`);
  const commit = currentCommit();
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

/**
 * Sends a request that was printed with a fault to a new service with records of each kind. Returns true when no fault
 * occurs.
 */
async function replay(text: string): Promise<boolean> {
  const request = read(text);
  const service = await startFuzzedService();
  const pool = new Pool(service.address, { connections: 1 });
  try {
    const world = createWorld(service.key);
    await furnish(pool, world);
    const [statuses, faults] = [new Map<number, number>(), createFaults(0)];
    const found = await createSender({ service, pool, world, faults, statuses, succeeded: new Set() })(request, 0);
    console.log(`answered ${[...statuses.keys()].join(', ')}; ${found.length} faults`);
    for (const line of service.errors) console.error(line);
    return found.length === 0 && service.errors.length === 0;
  } finally {
    await pool.close();
    await service.stop();
  }
}

/** Parses a printed request; throws for other text. */
function read(text: string): FuzzedRequest {
  const value = parseJson(text);
  const isRequest = typeof value === 'object' && value !== null && 'kind' in value;
  if (!isRequest) throw new Error('expected a request as it is printed with a fault');
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what is not ours fails where it is sent
  return value as unknown as FuzzedRequest;
}

/** Facts of a run in addition to its result. */
interface FuzzRun {
  readonly seed: number;
  readonly seconds: number;
  readonly commit: string;
  /** Day such as 2026-01-31. */
  readonly day: string;
  /** Number of operations in the documents. */
  readonly operations: number;
}

const mebibyte = 1024 * 1024;

/** Returns the text of docs/evidence/fuzz.md. */
function fuzzPage(result: FuzzResult, { seed, seconds, commit, day, operations }: FuzzRun): string {
  const { sent, statuses, succeeded, rests, faults } = result;
  const answered = [...statuses].toSorted(([left], [right]) => left - right);
  const kinds = [...faults.kinds.values()];
  return `${[
    '# Fuzz',
    `Written by \`npm run long -- fuzz --requests ${sent} --seed ${seed}\` on commit ${commit}, ${day}.`,
    `${sent} requests in ${seconds} s, 24 at once, to \`svc serve --hosts simulated\`: a fifth of them raw bytes on a socket (broken HTTP/1.1, pipelines, upgrades, websocket frames), the others valid and invalid calls of the ${operations} operations and of signed URLs. ${succeeded.size} of the operations have succeeded at least once. ${kinds.length} kinds of faults.`,
    'A fault is an answer of 500 or more, a connection that stays open, a missing answer, an answer without a request id, a status or body that the document does not have, an answer that shows internals of the service, a success without a key or with a body that the document refuses, more or fewer answers than requests on one connection, an error in the log, an end of the process, and growth between the second measurement at rest and the last.',
    table(
      ['Answer', 'Times'],
      answered.map(([status, times]) => [status === 0 ? 'closed without a word' : String(status), String(times)]),
    ),
    '## At rest',
    'After each tenth of the requests the proof ends and deletes every resource, moves the clock by 40 days, and measures the rest after a garbage collection. Rows: all rows except the meters of deleted sessions, runs and browsers, archived workspaces, projects and keys.',
    table(['After', 'Heap (MiB)', 'Resident (MiB)', 'Resources', 'Descriptors', 'Files', 'Rows'], rests.map(getRow)),
    ...(kinds.length === 0
      ? []
      : ['## Faults', kinds.map(({ text, times }) => `- ${times} times: ${text.replaceAll('\n', ' ')}`).join('\n')]),
  ].join('\n\n')}\n`;
}

function getRow({ after, heapBytes, residentBytes, resources, descriptors, files, rows }: Held): string[] {
  const meters = new Set(['sessions', 'runs', 'browsers', 'workspaces', 'projects', 'api_keys']);
  const others = [...rows].filter(([name]) => !meters.has(name)).reduce((sum, [, count]) => sum + count, 0);
  return [
    String(after),
    (heapBytes / mebibyte).toFixed(1),
    (residentBytes / mebibyte).toFixed(0),
    String(resources),
    String(descriptors),
    String(files),
    String(others),
  ];
}
