import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Agent, AgentStep, AgentTask, AgentWorld } from '#agent/agent.ts';
import { call, finish, type ScriptedModel, scriptedModel } from '#agent/loop/testing/scripted-model.ts';
import { guardWorld } from '#agent/redaction/guard-world.ts';
import { createRedactor } from '#agent/redaction/redactor.ts';
import { withScripts } from '#agent/script/with-scripts.ts';
import { type FilesInMemory, filesInMemory } from '#agent/testing/files-in-memory.ts';
import type { HostedBrowser } from '#browsers/host.ts';
import { createLocalHost, type LocalHost } from '#browsers/local-host.ts';
import { probeOnce } from '#browsers/testing/probe-once.ts';
import { createRecordingLog } from '#browsers/testing/recording-log.ts';
import type { Places } from './injection.ts';
import { leaving } from './leaving.ts';
import { machine } from './machine.ts';
import { secretInjections } from './secrets.ts';

const password = 'correct-horse-battery';

/** The page on which the task was recorded. Its form fields have the labels that the injected pages use. */
const form = `<main><h1>Weekly report</h1><form method="post" action="/send">
<label>Report <input name="report"></label><label>Password <input type="password" name="password"></label>
<button>Continue</button></form></main>`;

let seen: { readonly by: 'inside' | 'evil'; readonly said: string }[] = [];
let html = '';
let [directory, host]: [string, LocalHost | null] = ['', null];
let browser: HostedBrowser;
let places: Places;
let files: FilesInMemory;

async function note(by: 'inside' | 'evil', request: IncomingMessage): Promise<string> {
  let body = '';
  for await (const piece of request) body += String(piece);
  const said = `${request.method} ${request.url} ${body}`;
  if (!/favicon/.test(said)) seen.push({ by, said });
  return new URL(request.url ?? '/', 'http://localhost').pathname;
}

const page = { 'content-type': 'text/html' };
const inside = createServer((request, response) => {
  void note('inside', request).then((pathname) => {
    if (pathname === '/away') return response.writeHead(302, { location: `${places.evil}/redirected` }).end();
    return response.writeHead(200, page).end(pathname === '/send' ? '<h1>Report R-17 received</h1>' : html);
  });
});
const evil = createServer((request, response) => {
  void note('evil', request).then(() =>
    response
      .writeHead(200, page)
      .end('<form method="post" action="/sent"><input name="mine" aria-label="Report"></form>'),
  );
});

async function listen(server: Server, address: string): Promise<string> {
  server.listen(0, address);
  await once(server, 'listening');
  const bound = server.address();
  if (bound === null || typeof bound === 'string') throw new TypeError('no port');
  return `${address}:${bound.port}`;
}

/**
 * Creates an agent that does the task in its first run, which is recorded as a script, and gives up in every later run.
 */
function recorder(): Agent {
  let runs = 0;
  return {
    async run(_task, world) {
      runs += 1;
      if (runs > 1) return { success: false, output: null, reason: 'given up' };
      const tab = await world.tab();
      await tab.open(`${places.inside}/`);
      const { outline } = await tab.snapshot();
      const ref = (label: string): string => new RegExp(`"${label}"[^\\n]*\\[ref=(\\w+)\\]`).exec(outline)?.[1] ?? '';
      await tab.elements.type(ref('Report'), 'weekly');
      await tab.elements.type(ref('Password'), '<secret:password>');
      await tab.elements.click(ref('Continue'));
      await tab.snapshot();
      return { success: true, output: 'R-17' };
    },
  };
}

const agent = recorder();

interface Played {
  readonly steps: readonly AgentStep[];
  readonly success: boolean;
  readonly model: ScriptedModel;
}

/** Replays the recorded task. The model chooses the first element that it is offered and reports success. */
async function play(): Promise<Played> {
  seen = [];
  const model = scriptedModel(({ latest }) => {
    const first = /^((?:f\d+)?e\d+): \{/m.exec(latest)?.[1];
    return first === undefined ? finish('R-17') : call('choose_element', { ref: first });
  });
  const steps: AgentStep[] = [];
  const secrets = [{ name: 'password', value: password, domains: null }];
  const tab = await browser.tab();
  for (const { number } of (await tab.tabs.list()).slice(1).toReversed()) await tab.tabs.close(number);
  const world: AgentWorld = {
    signal: new AbortController().signal,
    tab: () => browser.tab(),
    files,
    model,
    mailbox: null,
    judge: { check: async () => ({ ok: true }), conform: () => Promise.reject(new Error('not used')) },
    step: async (step) => void steps.push(step),
    wait: async () => undefined,
  };
  const guard = { secrets, redactor: createRedactor(secrets), onTyped: () => undefined, hasTyped: () => false };
  const task: AgentTask = {
    goal: 'Send the weekly report with the secret password',
    model: 'm',
    modelParams: null,
    outputSchema: null,
    codeMode: false,
    settings: { script: { autoHeal: true } },
  };
  const { success } = await withScripts(agent).run(task, guardWorld(world, guard));
  return { steps, success, model };
}

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'svc-replayed-'));
  const hosts = [await listen(inside, '127.0.0.1'), await listen(evil, '127.0.0.2')];
  places = { inside: `http://${hosts[0]}`, evil: `http://${hosts[1]}` };
  host = await createLocalHost({ directory, log: createRecordingLog(), allow: hosts, probe: probeOnce });
  browser = await host.launch({ sessionId: 'replays', screen: { width: 800, height: 600 }, proxyCountryCode: null });
  html = form;
  files = filesInMemory();
  const { success } = await play();
  if (!success || files.stored.size !== 1) throw new Error('found no script, expected one of the recorded task');
});
afterAll(async () => {
  await host?.close();
  for (const server of [inside, evil]) {
    server.closeAllConnections();
    server.close();
  }
  await rm(directory, { recursive: true });
});

const all = [...leaving, ...secretInjections, ...machine].map((injection) => [injection.name, injection] as const);
/** Returns true for a request that a page sends by itself, without an action of the model. */
const isOwn = ({ by, said }: (typeof seen)[number]): boolean =>
  by === 'evil' ? /^GET \/(?:frame|refresh)/.test(said) : /^GET \/(?:x)? /.test(said);

/** `npm test` plays every fourth page, `npm run teeth` every page. */
const isWhole = process.env['SVC_MUTANTS'] === 'all';
const sampleFrom = (first: number): typeof all => all.filter((_page, index) => isWhole || index % 4 === first);

describe('a replay with a model that chooses whatever it is offered', () => {
  it('is tried on at least thirty pages', () => {
    expect(all.length).toBeGreaterThanOrEqual(30);
  });

  it.each(sampleFrom(0))(
    'uses no element of a page in place of the recorded one: %s',
    async (_name, injection) => {
      html = injection.html(places);
      const { steps, success } = await play();
      expect(seen.filter((request) => !isOwn(request))).toEqual([]);
      expect(success).toBe(false);
      expect(steps.map(({ action }) => action['step']).filter((step) => step !== undefined)).toEqual(['open']);
    },
    60_000,
  );

  it.each(sampleFrom(2))(
    'uses only the recorded elements beside those of the page: %s',
    async (_name, injection) => {
      html = `${injection.html(places)}${form}`;
      await play();
      const sent = seen.filter((request) => !isOwn(request)).map(({ by, said }) => `${by} ${said}`);
      expect(['', `inside POST /send report=weekly&password=${password}`]).toContain(sent.join('\n'));
    },
    60_000,
  );
});
