import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, describe, expect, test } from 'vitest';
import { isJsonObject, type JsonObject } from '#lib/json.ts';
import { createSimulatedHost } from '#browsers/simulated/simulated-host.ts';
import { AgentCrash, type AgentOutcome, type AgentStep, type AgentTask, type AgentWorld } from '#agent/agent.ts';
import { type FilesInMemory, filesInMemory } from '#agent/testing/files-in-memory.ts';
import { openTaskScope } from '#agent/task-scope.ts';
import { createOfflinePlanner } from './offline-planner.ts';
import { testTasks as documented } from '#generated/rules.ts';
import { testCourses } from './test-tasks.ts';
import { createOutputJudges } from '#agent/output/schema/create-output-judges.ts';
import { defaultRules } from '#contract/rule-book.ts';

const judges = createOutputJudges(defaultRules);
afterAll(() => judges.close());

interface Ran {
  readonly outcome: AgentOutcome;
  readonly steps: readonly AgentStep[];
  readonly waits: readonly number[];
  readonly tabs: number;
}

interface RunOptions {
  readonly task?: Partial<AgentTask>;
  readonly testTasks?: boolean;
  readonly files?: FilesInMemory;
  /** Aborts the task with `reason` after this number of steps. */
  readonly abortAfter?: { readonly steps: number; readonly reason: Error };
}

async function run(
  goal: string,
  { task = {}, testTasks = true, abortAfter, files = filesInMemory() }: RunOptions = {},
): Promise<Ran> {
  const browser = await createSimulatedHost().launch({
    sessionId: 's',
    screen: { width: 800, height: 600 },
    proxyCountryCode: null,
  });
  const steps: AgentStep[] = [];
  const waits: number[] = [];
  let tabs = 0;
  const aborting = new AbortController();
  const world: AgentWorld = {
    signal: aborting.signal,
    tab: () => {
      tabs += 1;
      return browser.tab();
    },
    step: async (step) => {
      steps.push(step);
      if (abortAfter !== undefined && steps.length >= abortAfter.steps) aborting.abort(abortAfter.reason);
      aborting.signal.throwIfAborted();
    },
    wait: async (ms) => void waits.push(ms),
    files,
    model: null,
    mailbox: null,
    judge: judges.of('project'),
  };
  const whole: AgentTask = { goal, model: 'any', modelParams: null, outputSchema: null, codeMode: false, ...task };
  const outcome = await createOfflinePlanner({ testTasks }).run(whole, world);
  return { outcome, steps, waits, tabs };
}

describe('a goal in plain words', () => {
  test('is followed step by step', async () => {
    const { outcome, steps, waits } = await run(
      "Open https://a.example/, type 'x' into Search, press Enter, click More, wait 2 s and tell me the title",
    );
    expect(outcome).toEqual({ success: true, output: 'a.example' });
    expect(steps.map(({ summary, url }) => [summary, url])).toEqual([
      ['Opened https://a.example/ - a.example', 'https://a.example/'],
      ['Typed "x" into "Search" - a.example', 'https://a.example/'],
      ['Pressed Enter - a.example', 'https://a.example/'],
      ['Clicked "More" - a.example', 'https://a.example/more'],
      ['Waited 2 s', 'https://a.example/more'],
      ['Read the title: a.example', 'https://a.example/more'],
    ]);
    expect(steps[1]?.action).toEqual({ kind: 'type', field: 'Search', text: 'x' });
    expect(steps[1]?.usage).toEqual({
      inputTokens: Math.ceil('a.example'.length / 4),
      outputTokens: Math.ceil('{"kind":"type","field":"Search","text":"x"}'.length / 4),
    });
    expect(waits).toEqual([2_000]);
  });

  test('answers with everything that was asked for', async () => {
    const { outcome } = await run('Open https://a.example/ and list the headings, links, tables and the address');
    expect(outcome.output).toBe(
      'Headings: Welcome to a.example\nLinks: More (https://a.example/more)\nTables:\nRequest\nPart | Value\nHost | a.example\nPath | /\nUrl: https://a.example/',
    );
  });

  test('says where it ended when nothing was asked', async () => {
    expect((await run('Open https://a.example/')).outcome.output).toBe(
      'Done. The page is "a.example" (https://a.example/).',
    );
  });

  test('is answered without a tab when it needs none', async () => {
    const { outcome, steps, tabs } = await run('Reply with the word ready');
    expect(outcome).toEqual({ success: true, output: 'ready' });
    expect([steps.length, tabs]).toEqual([1, 0]);
  });

  test.each([
    { goal: 'Return the exact text: hello world', output: 'hello world' },
    { goal: 'What is 2 + 2?', output: '4' },
  ])('answers "$goal" in one step', async ({ goal, output }) => {
    const { outcome, steps, tabs } = await run(goal);
    expect(outcome).toEqual({ success: true, output });
    expect([steps.length, tabs]).toEqual([1, 0]);
  });

  test('is given up with a sentence when it is not understood', async () => {
    const { outcome, steps } = await run('Book me a flight');
    expect(outcome.success).toBe(false);
    expect(outcome.output).toMatch(/^I did not understand "Book me a flight"\. .*"Open https:\/\/example\.com\/"/);
    expect(steps).toEqual([]);
  });

  test('is given up with the reason when the page does not do it', async () => {
    const { outcome, steps } = await run("Open https://a.example/, click 'Nothing' and tell me the title");
    expect(outcome).toMatchObject({
      success: false,
      reason: expect.any(String),
      output: 'Could not click "Nothing": there is no such link or button.',
    });
    expect(steps).toHaveLength(1);
  });

  test('gives the same steps every time', async () => {
    const goal = 'Open https://a.example/ and read the text';
    expect((await run(goal)).steps).toEqual((await run(goal)).steps);
  });

  test.each([1, 2])('rejects with the reason when aborted at step %i', async (steps) => {
    const reason = new Error('stopped');
    await expect(run('Open https://a.example/ and read the text', { abortAfter: { steps, reason } })).rejects.toBe(
      reason,
    );
  });
});

test('rejects with the reason while a page never answers', async () => {
  const reason = new Error('stopped');
  const aborting = new AbortController();
  const never = (): Promise<never> => {
    aborting.abort(reason);
    return new Promise<never>(() => undefined);
  };
  const step = async (): Promise<void> => undefined;
  const world = openTaskScope(aborting.signal).own({
    signal: aborting.signal,
    tab: never,
    files: filesInMemory(),
    model: null,
    mailbox: null,
    judge: judges.of('project'),
    step,
    wait: never,
  });
  const task: AgentTask = {
    goal: 'Open https://a.example/',
    model: 'any',
    modelParams: null,
    outputSchema: null,
    codeMode: false,
  };
  const planner = createOfflinePlanner({ testTasks: false });
  await expect(planner.run(task, world)).rejects.toBe(reason);
  await expect(planner.run({ ...task, goal: 'Say hello' }, world)).rejects.toBe(reason);
});

describe('an output schema', () => {
  const outputSchema: JsonObject = {
    type: 'object',
    properties: {
      title: { type: 'string' },
      links: { type: 'array', items: { type: 'object', properties: { url: { type: 'string' } }, required: ['url'] } },
    },
    required: ['title', 'links'],
    additionalProperties: false,
  };

  test('is filled from the page, which is read for it', async () => {
    const { outcome } = await run('Open https://a.example/', { task: { outputSchema } });
    expect(outcome).toEqual({
      success: true,
      output: { title: 'a.example', links: [{ url: 'https://a.example/more' }] },
    });
  });

  test('is given up on when nothing conforms', async () => {
    const { outcome } = await run('Say hello', { task: { outputSchema: { type: 'string', pattern: '^bye$' } } });
    expect(outcome).toMatchObject({
      success: false,
      output: null,
      reason: expect.stringContaining('I could not give the output that was asked for: no output could be made'),
    });
  });
});

describe('code mode', () => {
  test('gives the text, a script that is JavaScript, and the data', async () => {
    const goal = `Open https://a.example/, type 'it''s "x"' into Search, press Enter, click More, wait 1 s, list the headings, links, tables and text`;
    const { outcome } = await run(goal.replace("''", ''), { task: { codeMode: true } });
    expect(outcome.success).toBe(true);
    if (!isJsonObject(outcome.output)) throw new TypeError('no object');
    const { text, code, output } = outcome.output;
    if (typeof code !== 'string') throw new TypeError('no code');
    expect(text).toContain('Headings: Welcome to a.example');
    expect(output).toMatchObject({ headings: ['Welcome to a.example'], url: 'https://a.example/more' });
    expect(code).toContain('await page.goto("https://a.example/");');
    const folder = await mkdtemp(join(tmpdir(), 'svc-script-'));
    await writeFile(join(folder, 'script.mjs'), code);
    await promisify(execFile)(process.execPath, ['--check', join(folder, 'script.mjs')]);
    await rm(folder, { recursive: true });
  });

  test('gives the script so far when it fails', async () => {
    const { outcome } = await run('Open https://a.example/ and click Nothing', { task: { codeMode: true } });
    expect(outcome).toMatchObject({
      success: false,
      reason: expect.any(String),
      output: { text: expect.stringContaining('Could not click'), code: expect.stringContaining('page.goto') },
    });
  });
});

describe('test tasks', () => {
  test('are documented', () => {
    expect(Object.keys(testCourses).toSorted()).toEqual(documented.tasks.map(({ name }) => name).toSorted());
  });

  test('succeed and fail after using the tab', async () => {
    const succeeded = await run('svc-test: succeed');
    expect(succeeded.outcome).toEqual({ success: true, output: 'svc-test: succeed' });
    expect(succeeded.steps[0]?.url).toMatch(/^data:text\/html,/);
    expect(succeeded.tabs).toBe(1);
    expect(await run(' svc-test: fail ')).toMatchObject({ outcome: { success: false }, tabs: 1 });
  });

  test.each([
    { goal: 'svc-test: slow', seconds: 30 },
    { goal: 'svc-test: slow 5', seconds: 5 },
    { goal: 'svc-test: slow 5 #a1b2', seconds: 5 },
    { goal: 'svc-test: slow #a1b2', seconds: 30 },
  ])('$goal waits between its steps', async ({ goal, seconds }) => {
    const { outcome, waits, steps } = await run(goal);
    expect(outcome.success).toBe(true);
    expect(waits.reduce((sum, ms) => sum + ms, 0)).toBe(seconds * 1_000);
    expect(steps.length).toBeGreaterThan(1);
  });

  test.each(['0', 'soon', '4000', '-1', '1 2'])('slow refuses %s', async (parameter) => {
    expect((await run(`svc-test: slow ${parameter}`)).outcome).toMatchObject({ success: false });
  });

  test('exceed-ceiling goes on until it is stopped, at most 50 steps', async () => {
    const { outcome, steps } = await run('svc-test: exceed-ceiling');
    expect(outcome.success).toBe(false);
    expect(steps).toHaveLength(50);
    expect(steps[0]?.usage).toEqual({ inputTokens: 1_000_000, outputTokens: 1_000_000 });
    const reason = new Error('too expensive');
    await expect(run('svc-test: exceed-ceiling', { abortAfter: { steps: 3, reason } })).rejects.toBe(reason);
  });

  test('crash throws after a step', async () => {
    await expect(run('svc-test: crash')).rejects.toThrow(AgentCrash);
  });

  test('structured gives an object, or what the schema asks for', async () => {
    expect((await run('svc-test: structured')).outcome.output).toMatchObject({
      title: 'svc-test: structured',
      ok: true,
    });
    const outputSchema = { type: 'object', properties: { title: { type: 'string' } }, required: ['title'] };
    expect((await run('svc-test: structured', { task: { outputSchema } })).outcome.output).toEqual({
      title: 'svc-test: structured',
    });
  });

  test('are ordinary goals, not understood, unless they are switched on', async () => {
    expect((await run('svc-test: succeed', { testTasks: false })).outcome.output).toContain('I did not understand');
  });

  test('are listed when the name is unknown', async () => {
    expect((await run('svc-test: nonsense')).outcome).toMatchObject({
      success: false,
      reason: expect.any(String),
      output: expect.stringContaining('succeed, fail, slow'),
    });
  });
});

describe('files', () => {
  const notes = { 'notes.txt': 'pears and plums', 'a/b.csv': 'x,y' };
  const text = (files: FilesInMemory, path: string): string => new TextDecoder().decode(files.stored.get(path));

  test('are read, and saved under another name', async () => {
    const files = filesInMemory(notes);
    const { outcome, steps, tabs } = await run('Read the file notes.txt and save it as copy.txt', { files });
    expect(outcome).toEqual({ success: true, output: 'pears and plums\nSaved copy.txt (15 bytes).' });
    expect(steps.map(({ summary }) => summary)).toEqual([
      'Read the file notes.txt: pears and plums',
      'Saved copy.txt (15 bytes)',
    ]);
    expect(text(files, 'copy.txt')).toBe('pears and plums');
    expect(tabs).toBe(0);
  });

  test('are listed', async () => {
    const { outcome } = await run('List the files', { files: filesInMemory(notes) });
    expect(outcome).toEqual({ success: true, output: 'a/b.csv\nnotes.txt' });
    expect((await run('List the files')).outcome.output).toBe('There are no files.');
  });

  test('take what was read from a page', async () => {
    const files = filesInMemory();
    await run('Open https://a.example/, list the headings and save the result as h.txt', { files });
    expect(text(files, 'h.txt')).toBe('Welcome to a.example');
  });

  test('that were attached are in memory one at a time', async () => {
    const files = filesInMemory(notes, ['notes.txt', 'a/b.csv']);
    let [atOnce, most] = [0, 0];
    const readText: typeof files.readText = async (name) => {
      most = Math.max(most, (atOnce += 1));
      const found = await files.readText(name);
      atOnce -= 1;
      return found;
    };
    expect((await run('Read the attached files', { files: { ...files, readText } })).outcome.success).toBe(true);
    expect(most).toBe(1);
  });

  test('that were attached are read together', async () => {
    const files = filesInMemory(notes, ['notes.txt', 'a/b.csv']);
    expect((await run('Read the attached files', { files })).outcome.output).toBe('pears and plums\nx,y');
    const listed = await run('List the attached files', { files: filesInMemory(notes, ['a/b.csv']) });
    expect(listed.outcome.output).toBe('a/b.csv');
  });

  test.each([
    { goal: 'Read the file gone.txt', reason: 'There is no file gone.txt.' },
    { goal: 'Read the attached file', reason: 'No file is attached to this task.' },
    { goal: 'Save it as x.txt', reason: 'I have read nothing that I could save as x.txt.' },
    { goal: 'Upload the file gone.txt', reason: 'There is no file gone.txt.' },
    {
      goal: "Open https://a.example/ and download 'More'",
      reason: 'Could not download "More": simulated pages have no downloads.',
    },
  ])('$goal is given up with the reason, and nothing is written', async ({ goal, reason }) => {
    const files = filesInMemory(notes);
    expect((await run(goal, { files })).outcome).toEqual({ success: false, reason, output: reason });
    expect([...files.stored.keys()]).toEqual(Object.keys(notes));
  });

  test('that are no text are not read as one', async () => {
    const files = filesInMemory();
    files.stored.set('a.bin', Uint8Array.of(0xff, 0xfe, 0x00));
    expect((await run('Read the file a.bin', { files })).outcome.output).toBe(
      'The file a.bin is no text that I can read.',
    );
    files.stored.set('long.txt', new Uint8Array(1_048_577).fill(97));
    expect((await run('Read the file long.txt', { files })).outcome.output).toContain('too large to read');
  });

  test('fill the members of an output schema', async () => {
    const outputSchema: JsonObject = { type: 'object', properties: { file: { type: 'string' } }, required: ['file'] };
    const { outcome } = await run('Read the file notes.txt', { files: filesInMemory(notes), task: { outputSchema } });
    expect(outcome.output).toEqual({ file: 'pears and plums' });
  });

  test('stand in the script of code mode', async () => {
    const { outcome } = await run("Read the file notes.txt, save it as copy.txt and write 'x' to the file x.txt", {
      files: filesInMemory(notes),
      task: { codeMode: true },
    });
    const folder = await mkdtemp(join(tmpdir(), 'svc-script-'));
    const { code } = outcome.output as { code: string };
    expect(code).toContain('await readFile("notes.txt", \'utf8\')');
    await writeFile(join(folder, 'script.mjs'), code);
    await promisify(execFile)(process.execPath, ['--check', join(folder, 'script.mjs')]);
    await rm(folder, { recursive: true });
  });
});
