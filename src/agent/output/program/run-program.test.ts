import { setTimeout } from 'node:timers/promises';
import { afterAll, describe, expect, test } from 'vitest';
import { createSimulatedHost } from '#browsers/simulated/simulated-host.ts';
import type { Action } from '../../answer/plan.ts';
import { writeScript } from '../../answer/write-script.ts';
import { filesInMemory } from '../../testing/files-in-memory.ts';
import type { ProgramWorld } from './program-calls.ts';
import { programBounds, type ProgramResult, runProgram } from './run-program.ts';

const host = createSimulatedHost();
afterAll(() => host.close());
let browsers = 0;

async function open(): Promise<
  ProgramWorld & { readonly waits: number[]; readonly files: ReturnType<typeof filesInMemory> }
> {
  browsers += 1;
  const launched = { sessionId: `${browsers}`, screen: { width: 800, height: 600 }, proxyCountryCode: null };
  const browser = await host.launch(launched);
  const waits: number[] = [];
  return {
    tab: () => browser.tab(),
    files: filesInMemory({ 'notes.txt': 'milk' }),
    signal: new AbortController().signal,
    wait: async (ms) => void waits.push(ms),
    waits,
  };
}

async function run(source: string, bounds: Partial<typeof programBounds> = {}): Promise<ProgramResult> {
  return runProgram(source, await open(), { ...programBounds, ...bounds });
}

const say = (expression: string): string => `console.log(JSON.stringify(${expression}));`;

test('drives the tab of the session and gives back what it prints', async () => {
  const door = await open();
  const source = `import { chromium } from 'playwright';
    const browser = await chromium.launch();
    const page = await browser.newPage();
    await page.goto('https://a.example/');
    await page.getByLabel('Search').or(page.getByPlaceholder('Search')).first().fill('shoes');
    await page.getByRole('link', { name: 'More' }).first().click();
    await page.waitForTimeout(1500);
    const tables = await page.locator('table').evaluateAll((all) => all.map(({ rows }) => rows.map(({ cells }) => cells[0].innerText)));
    const links = await page.locator('a[href]').evaluateAll((all) => all.map(({ innerText, href }) => [innerText, href]));
    console.log(JSON.stringify({ title: await page.title(), url: page.url(), tables, links }));`;
  expect(await runProgram(source, door)).toEqual({
    ok: true,
    output: {
      title: 'a.example',
      url: 'https://a.example/more',
      tables: [['Part', 'Host', 'Path']],
      links: [['More', 'https://a.example/more']],
    },
  });
  expect(door.waits).toEqual([1_500]);
  expect(await (await door.tab()).url()).toBe('https://a.example/more');
});

test.each([
  { name: 'nothing', source: '1 + 1', output: null },
  { name: 'words', source: "console.log('all done')", output: 'all done' },
  { name: 'something last', source: `${say('1')} ${say('{ a: [2] }')}`, output: { a: [2] } },
  {
    name: 'through the page that is there',
    source: say("(await page.goto('https://b.example/'), page.url())"),
    output: 'https://b.example/',
  },
  {
    name: 'a file',
    source: `import { readFile, writeFile, readdir } from 'node:fs/promises';
      await writeFile('copy.txt', (await readFile('notes.txt', 'utf8')) + '!'); ${say('await readdir(".")')}`,
    output: ['copy.txt', 'notes.txt'],
  },
])('prints $name', async ({ source, output }) => {
  expect(await run(source)).toEqual({ ok: true, output });
});

describe("the planner's scripts run as they are", () => {
  const opened: Action = { kind: 'open', url: 'https://a.example/' };
  test.each<{ actions: readonly Action[]; output: unknown }>([
    {
      actions: [
        opened,
        { kind: 'read', what: 'title' },
        { kind: 'read', what: 'url' },
        { kind: 'read', what: 'headings' },
      ],
      output: { title: 'a.example', url: 'https://a.example/', headings: ['Welcome to a.example'] },
    },
    {
      actions: [
        opened,
        { kind: 'click', name: 'More' },
        { kind: 'read', what: 'links' },
        { kind: 'read', what: 'tables' },
      ],
      output: {
        links: expect.arrayContaining([expect.objectContaining({ text: 'More' })]),
        tables: [expect.arrayContaining([['Part', 'Value']])],
      },
    },
    {
      actions: [
        opened,
        { kind: 'type', field: 'Search', text: 'x' },
        { kind: 'press', key: 'Enter' },
        { kind: 'wait', seconds: 2 },
        { kind: 'read', what: 'text' },
      ],
      output: { text: expect.stringContaining('Welcome to a.example') },
    },
    { actions: [{ kind: 'say', text: 'ready' }], output: { text: 'ready' } },
    {
      actions: [
        { kind: 'readFile', name: 'notes.txt' },
        { kind: 'writeFile', name: 'copy.txt', text: null },
        { kind: 'listFiles', which: 'all' },
      ],
      output: { file: 'milk', files: ['copy.txt', 'notes.txt'] },
    },
  ])('%#', async ({ actions, output }) => {
    expect(await run(writeScript(actions))).toEqual({ ok: true, output });
  });
});

describe('a program that fails says why', () => {
  test.each([
    {
      name: 'a page that does not do it',
      source: "await page.getByRole('link', { name: 'Nothing' }).click()",
      reason: /^Error: Could not click "Nothing": there is no such link or button\.$/,
    },
    {
      name: 'a file that is not there',
      source: "import { readFile } from 'fs/promises';\nawait readFile('x.txt')",
      reason: /There is no file x.txt/,
    },
    {
      name: 'what it throws',
      source: "\nthrow new RangeError('too far')",
      reason: /^RangeError: too far \(line 2 of the program\)$/,
    },
    { name: 'bad syntax', source: 'const a = ;', reason: /^SyntaxError: .*line 1/ },
    {
      name: 'a member that is not there',
      source: 'await page.screenshot()',
      reason: /page\.screenshot is not available here; there is: goto/,
    },
    {
      name: 'a selector that is not there',
      source: "await page.locator('#x').innerText()",
      reason: /only body, a\[href\], table .* found #x/,
    },
    {
      name: 'a wait without end',
      source: 'await new Promise(() => {})',
      reason: /waits for something that never comes/,
    },
    { name: 'its length', source: `/*${'x'.repeat(65_536)}*/`, reason: /more than 65536 characters/ },
  ])('$name', async ({ source, reason }) => {
    expect(await run(source)).toEqual({ ok: false, reason: expect.stringMatching(reason) });
  });
});

/** Limit of the computing time in ms, for programs that exceed it. */
const shortMs = 200;

describe('a hostile program gets nowhere', () => {
  test.each<{ name: string; source: string; reason: RegExp; computeMs?: number }>([
    { name: 'a loop', computeMs: shortMs, source: 'for (;;) {}', reason: /computes for too long/ },
    {
      name: 'a loop of promises',
      computeMs: shortMs,
      source: 'const f = () => Promise.resolve().then(f); await f()',
      // Each promise waits for the next promise, so a fast machine exhausts its memory first.
      reason: /out of memory|computes for too long/,
    },
    {
      name: 'a pattern that backtracks for ever',
      computeMs: shortMs,
      source: "/^(a+)+$/.test('a'.repeat(60) + '!')",
      reason: /computes for too long/,
    },
    {
      name: 'a getter that never ends',
      computeMs: shortMs,
      source: 'throw { get message() { for (;;) {} } }',
      reason: /too long|Error|object/,
    },
    {
      name: 'all memory',
      source: 'const all = []; for (;;) all.push(new Uint8Array(1e6))',
      reason: /out of memory|computes for too long/,
    },
    { name: 'one long text', source: "let x = 'x'; for (;;) x += x", reason: /out of memory: it may use 32 MiB/ },
    { name: 'the stack', source: 'const f = () => f() + 1; f()', reason: /stack/i },
    { name: 'printing without end', source: "console.log('x'.repeat(2_000_000))", reason: /may print at most/ },
    { name: 'more calls than it may make', source: 'for (;;) await page.title()', reason: /more than 20 things/ },
    { name: 'the network', source: "await fetch('http://127.0.0.1/')", reason: /'fetch' is not defined/ },
    { name: 'require', source: "require('node:fs')", reason: /'require' is not defined/ },
    { name: 'a module of the host', source: "import 'node:child_process'", reason: /no module "node:child_process"/ },
    { name: 'a member of every object as a module', source: "import 'constructor'", reason: /no module "constructor"/ },
    {
      name: 'arguments that are not JSON',
      source: "JSON.stringify = () => '{'; await page.title()",
      reason: /arguments that are not JSON/,
    },
    { name: 'a module at run time', source: "await import('node:fs')", reason: /no module "node:fs"/ },
    { name: 'process', source: 'process.exit(3)', reason: /'process' is not defined/ },
    {
      name: 'a constructor',
      source: "console.log.constructor('return process')()",
      reason: /'process' is not defined/,
    },
    {
      name: "a constructor of the door's answers",
      source: "(await page.getByText('x').evaluateAll.constructor('return process')())",
      reason: /'process' is not defined/,
    },
    { name: 'the way out itself', source: "globalThis.__call('open', '[]')", reason: /not a function|not defined/i },
    {
      name: 'a file outside of the workspace',
      source: "import { readFile } from 'fs/promises'; await readFile('/etc/passwd')",
      reason: /There is no file/,
    },
  ])('$name', async ({ source, reason, computeMs = 1_000 }) => {
    const result = await run(source, { computeMs, callsMax: 20 });
    expect(result).toEqual({ ok: false, reason: expect.stringMatching(reason) });
  });

  test('by changing what everything is made of', async () => {
    const source = `Object.prototype.then = (go) => go(5); JSON.parse = () => ({ value: globalThis.process });
      const title = await page.title(); console.log([typeof title, typeof process].join());`;
    expect(await run(source)).toEqual({ ok: true, output: 'undefined,undefined' });
  });

  test('by staying inside of the engine, where nothing interrupts it', async () => {
    const source = 'const a = new Array(1e6); for (;;) a.fill(1).sort(() => 0)';
    expect(await run(source, { silentMs: 1_000, memoryBytes: 2 ** 30 })).toMatchObject({ ok: false });
  });
});

test('is not silent while any of its calls waits', async () => {
  const wait = (ms: number): Promise<void> => setTimeout(ms);
  const source = `await Promise.all([page.title(), page.waitForTimeout(2500)]); ${say('"done"')}`;
  const result = await runProgram(source, { ...(await open()), wait }, { ...programBounds, silentMs: 1_500 });
  expect(result).toEqual({ ok: true, output: 'done' });
});

test('ends with the task, also while it waits for a page', async () => {
  const door = await open();
  const ending = new AbortController();
  const never = (): Promise<never> => {
    ending.abort(new Error('stopped'));
    return new Promise<never>(() => undefined);
  };
  await expect(runProgram('await page.title()', { ...door, tab: never, signal: ending.signal })).rejects.toThrow(
    'stopped',
  );
});

test('ends when its whole time is up', async () => {
  const door = { ...(await open()), tab: () => new Promise<never>(() => undefined) };
  expect(await runProgram('await page.title()', door, { ...programBounds, wholeMs: 1_000 })).toEqual({
    ok: false,
    reason: 'the program took longer than 1 s',
  });
});
