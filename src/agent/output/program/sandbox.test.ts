import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { FromProgram } from './program-calls.ts';
import { programBounds } from './run-program.ts';
import { createSandbox } from './sandbox.ts';

const mib = 1_048_576;

/** Programs that allocate memory without end, each in another way. */
const greedy: readonly { readonly name: string; readonly source: string; readonly reason: RegExp }[] = [
  {
    name: 'long texts',
    source: "const all = []; for (let i = 0; ; i++) all.push('x'.repeat(1e6) + i)",
    reason: /out of memory/,
  },
  {
    name: 'texts of two bytes',
    source: "const all = []; for (let i = 0; ; i++) all.push('漢'.repeat(1e5) + i)",
    reason: /out of memory/,
  },
  { name: 'a template in itself', source: "let t = 'abc'; for (;;) t = `${t}${t}`", reason: /out of memory/ },
  { name: 'padding', source: "'x'.padEnd(2 ** 29, 'y')", reason: /out of memory/ },
  {
    name: 'typed arrays',
    source: 'const all = []; for (;;) all.push(new Uint8Array(1e6).fill(1))',
    reason: /out of memory/,
  },
  {
    name: 'many small buffers',
    source: 'const all = []; for (;;) all.push(new ArrayBuffer(1_000))',
    reason: /out of memory/,
  },
  { name: 'one large buffer', source: 'new ArrayBuffer(2 ** 30)', reason: /out of memory/ },
  { name: 'a large list', source: 'new Array(1e8).fill({})', reason: /out of memory/ },
  {
    name: 'a growing pattern',
    source: "let p = 'a'; for (;;) p = new RegExp(p + p).source",
    reason: /out of memory|too long/,
  },
  { name: 'a pattern that remembers', source: "/(a|b|c)*/.exec('abc'.repeat(3e6))", reason: /out of memory/ },
  { name: 'objects in objects', source: 'let o = {}; for (;;) o = { o, p: o }', reason: /out of memory/ },
  { name: 'a map', source: 'const m = new Map(); for (let i = 0; ; i++) m.set(i, { i })', reason: /out of memory/ },
  {
    name: 'generators',
    source: 'const all = []; for (;;) { const g = (function* () { yield 1 })(); g.next(); all.push(g); }',
    reason: /out of memory/,
  },
  { name: 'generators in generators', source: 'function* g() { yield* g(); } [...g()]', reason: /stack|too deep/ },
  { name: 'calls in calls', source: 'const f = () => f() + 1; f()', reason: /stack|too deep/ },
  {
    name: 'promises',
    source: 'const all = []; for (;;) all.push(Promise.resolve())',
    reason: /out of memory|too long/,
  },
  { name: 'lists in lists, as JSON', source: "JSON.parse('['.repeat(5e6))", reason: /stack|too deep|out of memory/ },
  { name: 'a large result', source: "console.log('x'.repeat(10_000_000))", reason: /may print at most/ },
  { name: 'a large call', source: "await page.goto('x'.repeat(10_000_000))", reason: /may print at most/ },
  {
    name: 'many calls at once',
    source: "await Promise.all([0, 1, 2, 3, 4, 5].map(() => page.goto('x'.repeat(200_000))))",
    reason: /calls of a program that wait/,
  },
  { name: 'a large error', source: "throw new Error('x'.repeat(10_000_000))", reason: /a text of 10000000 characters/ },
  {
    name: 'a large stack of an error',
    source: "throw { message: 'x', stack: 'y'.repeat(10_000_000) }",
    reason: /^Error: x$/,
  },
  {
    name: 'a large text that is thrown',
    source: "throw 'x'.repeat(10_000_000)",
    reason: /a text of 10000000 characters/,
  },
  {
    name: 'an error whose text is no text',
    source: 'throw { message: new Uint8Array(1e7) }',
    reason: /an object without a message/,
  },
];

describe('a program that takes all memory', () => {
  test.each(greedy)('by $name ends with a reason, in the memory that it may use', async ({ source, reason }) => {
    const told: FromProgram[] = [];
    const bounds = { ...programBounds, computeMs: 5_000 };
    const sandbox = await createSandbox({ bounds, tell: (message) => told.push(message) });
    sandbox.run(source);
    expect(told.at(-1)).toEqual({ kind: 'failed', reason: expect.stringMatching(reason) });
    expect(sandbox.memory.buffer.byteLength).toBeLessThanOrEqual(32 * mib);
    expect(JSON.stringify(told).length).toBeLessThan(2 * mib);
  });
});

/**
 * Script that runs programs with `runProgram`. It prints the largest growth of its own memory in bytes, and the
 * results.
 */
const measuring = `
import { readFileSync, writeFileSync } from 'node:fs';
import { programBounds, runProgram } from '${import.meta.resolve('./run-program.ts')}';
const status = (name) => Number.parseInt(readFileSync('/proc/self/status', 'utf8').split(name + ':')[1]) * 1024;
const door = { tab: () => new Promise(() => {}), files: {}, wait: async () => {}, signal: new AbortController().signal };
const grew = [];
const results = [];
// The first ones load the engine, which stays.
for (const source of ['1', '2', '3', ...JSON.parse(process.argv[2])]) {
  writeFileSync('/proc/self/clear_refs', '5');
  const before = status('VmRSS');
  results.push((await runProgram(source, door, programBounds)).ok);
  grew.push(status('VmHWM') - before);
}
console.log(JSON.stringify({ grew: Math.max(...grew.slice(3)), results: results.slice(3) }));
process.exit();`;

test.runIf(process.platform === 'linux')('a process grows by less than 64 MiB, whatever its programs do', async () => {
  const sources = greedy.map(({ source }) => source);
  const folder = await mkdtemp(join(tmpdir(), 'svc-programs-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const script = join(folder, 'measure.mjs');
  await writeFile(script, measuring);
  const { stdout } = await promisify(execFile)(process.execPath, [script, JSON.stringify(sources)]);
  const { grew, results } = JSON.parse(stdout);
  expect(results).toEqual(sources.map(() => false));
  expect(grew).toBeLessThan(64 * mib);
});
