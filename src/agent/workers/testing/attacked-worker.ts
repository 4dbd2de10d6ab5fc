import { writeFileSync } from 'node:fs';
import { serveJobs } from '../serve-jobs.ts';

/** Hostile jobs that tests of the worker pool run in a worker process. */
export const attacks = {
  pid: () => process.pid,
  throws: () => {
    throw new TypeError('a defect');
  },
  exits: () => process.exit(3),
  /** Never returns and allocates nothing. */
  backtracks: () => /^(a+)+$/.test(`${'a'.repeat(60)}!`),
  /** Never ends, but yields to other work of the process. */
  waits: () => new Promise(() => undefined),
  /** Allocates small objects without end. */
  objects: () => {
    for (const all: object[] = []; ; ) all.push({ all: [all.length] });
  },
  /** Makes ever larger allocations, which in a thread would abort the whole process. */
  array: () => {
    for (const all: number[] = []; ; ) all.push(all.length);
  },
  strings: () => {
    for (let text = 'x'; ; ) text = JSON.stringify([text, text]);
  },
  /** Allocates memory outside of the heap without end. */
  buffers: () => {
    for (const all: Uint8Array[] = []; ; ) all.push(new Uint8Array(1_000_000).fill(1));
  },
  writes: () => writeFileSync('/tmp/written-by-a-worker', 'x'),
} as const;

/** The name of an attack, or a value to return unchanged. */
export type Attack = keyof typeof attacks | { readonly echo: unknown };

// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- only the tests of the pool send something
serveJobs((input) => run(input as Attack));

function run(attack: Attack): unknown {
  return typeof attack === 'string' ? attacks[attack]() : attack.echo;
}
