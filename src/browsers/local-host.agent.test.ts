import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { AgentOutcome, AgentWorld } from '#agent/agent.ts';
import { createOfflinePlanner } from '#planner/offline-planner.ts';
import { runProgram } from '#agent/output/program/run-program.ts';
import { filesInMemory } from '#agent/testing/files-in-memory.ts';
import { isJsonObject } from '#lib/json.ts';
import type { HostedBrowser } from './host.ts';
import { createLocalHost, type LocalHost } from './local-host.ts';
import { probeOnce } from './testing/probe-once.ts';
import { createRecordingLog } from './testing/recording-log.ts';
import { type PageServer, servePages } from './testing/serve-pages.ts';
import { createOutputJudges } from '#agent/output/schema/create-output-judges.ts';
import { defaultRules } from '#contract/rule-book.ts';

const judges = createOutputJudges(defaultRules);
afterAll(() => judges.close());

let directory: string;
let server: PageServer;
let host: LocalHost;
let browser: HostedBrowser;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'svc-agent-'));
  server = await servePages({
    '/': `<title>Shop</title><form action="/found"><label>Search <input name="q"></label></form><a href="/more">More</a>`,
    '/found': '<title>Found</title><h1>Pears</h1><h2>Today</h2>',
    '/more': '<title>More</title>',
    '/alike': `<title>Alike</title><div role=table><div role=row><div role=gridcell><a href="/more">Details</a></div></div></div>
      <nav><a href="/more">Details</a></nav> <button>Buy</button> <button>Buy</button>
      <section aria-label="Mail"><label>Mail <input></label></section> <label>Name <input></label> <label>Name <input></label>`,
  });
  host = await createLocalHost({ directory, log: createRecordingLog(), allow: [server.host], probe: probeOnce });
  browser = await host.launch({ sessionId: 'agent', screen: { width: 800, height: 600 }, proxyCountryCode: null });
});
afterAll(async () => {
  await host.close();
  await server.close();
  await rm(directory, { recursive: true });
});

function createWorld(): AgentWorld {
  return {
    signal: new AbortController().signal,
    tab: () => browser.tab(),
    step: async () => undefined,
    wait: async () => undefined,
    files: filesInMemory({ 'cv.txt': 'my life' }),
    model: null,
    mailbox: null,
    judge: judges.of('project'),
  };
}

function run(goal: string, codeMode = false): Promise<AgentOutcome> {
  return createOfflinePlanner({ testTasks: true }).run(
    { goal, model: 'any', modelParams: null, outputSchema: null, codeMode },
    createWorld(),
  );
}

test('the offline planner fills a form that leads to another page', async () => {
  const outcome = await run(
    `Go to ${server.origin}/, type 'pears' into 'Search', press Enter, then list the headings and the url`,
  );
  expect(outcome).toEqual({ success: true, output: `Headings:\nPears\nToday\nUrl: ${server.origin}/found?q=pears` });
});

describe('things that are called alike', () => {
  test.each([
    { name: 'links to one address are one', does: "click 'Details'", want: { success: true, output: 'More' } },
    { name: 'a part of the page is no field', does: "type 'x' into 'Mail'", want: { success: true, output: 'Alike' } },
    {
      name: 'two buttons are not chosen between',
      does: "click 'Buy'",
      want: { success: false, output: 'Could not click "Buy": the page has 2 that are called so.' },
    },
    {
      name: 'two fields are not chosen between',
      does: "type 'x' into 'Name'",
      want: { success: false, output: 'Could not type into "Name": the page has 2 that are called so.' },
    },
  ])('$name', async ({ does, want }) => {
    expect(await run(`Open ${server.origin}/alike, ${does} and tell me the title`)).toMatchObject(want);
  });
});

test('the program of a task in code mode gives the same in the sandbox', async () => {
  const { output } = await run(
    `Go to ${server.origin}/, type 'pears' into 'Search', press Enter, then list the headings, the title and the url`,
    true,
  );
  const { code, output: found } = isJsonObject(output) ? output : {};
  expect(await runProgram(String(code), createWorld())).toEqual({ ok: true, output: found });
  expect(found).toEqual({ title: 'Found', headings: ['Pears', 'Today'], url: `${server.origin}/found?q=pears` });
});

test('a test task uses the browser', async () => {
  expect(await run('svc-test: succeed')).toEqual({ success: true, output: 'svc-test: succeed' });
});

test('a page that cannot be reached is a failure with the reason', async () => {
  expect(await run('Open http://10.0.0.1/ and tell me the title')).toMatchObject({
    success: false,
    output: 'Could not open http://10.0.0.1/: 10.0.0.1 leads to 10.0.0.1, which is a private network.',
  });
});

test('a picture marks the elements of some references, and the page has nothing of it afterwards', async () => {
  const tab = await browser.tab();
  await tab.open(`${server.origin}/`);
  const { outline } = await tab.snapshot();
  const refs = [...outline.matchAll(/(?:textbox|link) [^\n]*?\[ref=(\w+)\]/g)].map(([, ref]) => String(ref));
  const [plain, marked] = [await tab.screenshot(), await tab.screenshot(refs)];
  expect(refs).toHaveLength(2);
  expect(Buffer.compare(plain, marked)).not.toBe(0);
  expect(Buffer.compare(plain, await tab.screenshot())).toBe(0);
  expect(Buffer.compare(plain, await tab.screenshot(['e999']))).toBe(0);
  expect((await tab.snapshot()).outline).toBe(outline);
});
