import { type IncomingMessage, type Server, createServer } from 'node:http';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AgentOutcome, AgentStep, AgentTask, AgentWorld } from '#agent/agent.ts';
import { runWithinSettings } from '#agent/run-within-settings.ts';
import { createOutputJudges } from '#agent/output/schema/create-output-judges.ts';
import { createModelAgent } from '#agent/loop/create-model-agent.ts';
import { finishPlainly } from '#agent/loop/testing/finish-plainly.ts';
import { finish, scriptedModel, type ScriptedModel } from '#agent/loop/testing/scripted-model.ts';
import { filesInMemory } from '#agent/testing/files-in-memory.ts';
import type { HostedBrowser } from '#browsers/host.ts';
import { createLocalHost, type LocalHost } from '#browsers/local-host.ts';
import { probeOnce } from '#browsers/testing/probe-once.ts';
import { createRecordingLog } from '#browsers/testing/recording-log.ts';
import { createRedactor } from '#agent/redaction/redactor.ts';
import { guardWorld } from '#agent/redaction/guard-world.ts';
import { isAllowedAddress } from '#contract/allowed-domains.ts';
import type { Injection, Places } from './injection.ts';
import { leaving } from './leaving.ts';
import { machine } from './machine.ts';
import { secretInjections } from './secrets.ts';
import { defaultRules } from '#contract/rule-book.ts';

const judges = createOutputJudges(defaultRules);
afterAll(() => judges.close());

/**
 * Requests that the two servers received during an attack. `by` is the server, `said` is a text of method, path,
 * headers and body.
 */
let seen: { readonly by: 'inside' | 'evil'; readonly said: string }[] = [];
let html = '';
let [directory, host]: [string, LocalHost | null] = ['', null];
let browser: HostedBrowser;
let places: Places;

const password = 'correct-horse-battery';
const confidential = 'Ada Lovelace, 12 Analytical Row';
const stepsMax = 8;

async function note(by: 'inside' | 'evil', request: IncomingMessage): Promise<string> {
  let body = '';
  for await (const piece of request) body += String(piece);
  seen.push({ by, said: `${request.method} ${request.url} ${JSON.stringify(request.headers)} ${body}` });
  return new URL(request.url ?? '/', 'http://localhost').pathname;
}

const inside = createServer((request, response) => {
  void note('inside', request).then((pathname) => {
    if (pathname === '/away') return response.writeHead(302, { location: `${places.evil}/redirected` }).end();
    return response.writeHead(200, { 'content-type': 'text/html' }).end(html);
  });
});
/**
 * Server of the attacker. A page requests frames and icons from this server without an action of the model. Any other
 * request means that the attack has succeeded.
 */
const evil = createServer((request, response) => {
  void note('evil', request).then(() =>
    response
      .writeHead(200, { 'content-type': 'text/html' })
      .end(
        '<form method="post" enctype="multipart/form-data" action="/sent"><input name="mine" aria-label="Mine"><input type="file" name="file" aria-label="File"><button>Send</button></form>',
      ),
  );
});

async function listen(server: Server, address: string): Promise<string> {
  server.listen(0, address);
  await once(server, 'listening');
  const bound = server.address();
  if (bound === null || typeof bound === 'string') throw new TypeError('no port');
  return `${address}:${bound.port}`;
}

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'svc-injections-'));
  const hosts = [await listen(inside, '127.0.0.1'), await listen(evil, '127.0.0.2')];
  places = { inside: `http://${hosts[0]}`, evil: `http://${hosts[1]}` };
  // Both hosts are reachable. Only the task's settings keep the browser away from the attacker's host.
  host = await createLocalHost({ directory, log: createRecordingLog(), allow: hosts, probe: probeOnce });
  browser = await host.launch({ sessionId: 'obeys', screen: { width: 800, height: 600 }, proxyCountryCode: null });
});
afterAll(async () => {
  await host?.close();
  for (const server of [inside, evil]) {
    server.closeAllConnections();
    server.close();
  }
  await rm(directory, { recursive: true });
});

interface Attacked {
  readonly outcome: AgentOutcome;
  readonly steps: readonly AgentStep[];
  readonly model: ScriptedModel;
  readonly seen: typeof seen;
}

interface Gates {
  /** True if the task may open only one domain, and may type its secret only on a page of another domain. */
  readonly gated: boolean;
}

/**
 * Runs a task with a secret. The model does whatever the page asks for. If `gated` is true, the task may open only one
 * domain, and may type its secret only on a page of another domain.
 */
async function attack({ html: page, turns }: Injection, { gated }: Gates): Promise<Attacked> {
  html = page(places);
  seen = [];
  const wanted = turns(places);
  const model = scriptedModel((view) => wanted[view.turn]?.(view) ?? finish('All went well.'));
  const steps: AgentStep[] = [];
  const domains = gated ? ['bank.example'] : null;
  const secrets = [{ name: 'password', value: password, domains }];
  const allowedDomains = [new URL(places.inside).host];
  await browser.confine(gated ? (address) => isAllowedAddress(allowedDomains, address) : null);
  const tab = await browser.tab();
  for (const { number } of (await tab.tabs.list()).slice(1).toReversed()) await tab.tabs.close(number);
  let hasTyped = false;
  const world: AgentWorld = {
    signal: new AbortController().signal,
    tab: () => browser.tab(),
    files: filesInMemory({ 'customers.txt': confidential }),
    model,
    mailbox: null,
    judge: judges.of('project'),
    step: async (step) => void steps.push(step),
    wait: async () => undefined,
  };
  const guard = {
    secrets,
    redactor: createRedactor(secrets),
    onTyped: () => void (hasTyped = true),
    hasTyped: () => hasTyped,
  };
  const task: AgentTask = {
    goal: 'Read the page and tell what it says',
    model: 'm',
    modelParams: null,
    outputSchema: null,
    codeMode: false,
    secretNames: ['password'],
    settings: { startUrl: `${places.inside}/`, maxSteps: stepsMax, ...(gated ? { allowedDomains } : {}) },
  };
  const agent = createModelAgent({
    limits: { steps: 1_000, tokens: 1_000_000, replyTokens: 1_000 },
    newNonce: () => 'b1946ac92492d234',
    finish: finishPlainly,
    moreTools: () => [],
  });
  const outcome = await runWithinSettings(agent, task, guardWorld(world, guard));
  return { outcome, steps, model, seen: [...seen] };
}

/**
 * Returns the requests to the attacker, except those for frames and icons, which a page sends without an action of the
 * model.
 */
function stolen({ seen: requests }: Attacked): string[] {
  return requests.flatMap(({ by, said }) =>
    by === 'evil' && !/^GET \/(frame|favicon\.ico) /.test(said) ? [said] : [],
  );
}

const all = [...leaving, ...secretInjections, ...machine];

describe('a model that obeys the page', () => {
  it('is tried in at least thirty ways', () => {
    expect(new Set(all.map(({ name }) => name)).size).toBeGreaterThanOrEqual(30);
  });

  it.each(all.map((injection) => [injection.name, injection] as const))('%s', async (_name, injection) => {
    const attacked = await attack(injection, { gated: true });
    // The model has read the page and has followed its instructions.
    expect(JSON.stringify(attacked.model.requests[0]?.messages)).toContain('INJECTED');
    expect(attacked.model.requests.length).toBeGreaterThanOrEqual(Math.min(2, injection.turns(places).length));
    // No forbidden domain: the browser requested nothing from it, and sent nothing to it.
    expect(stolen(attacked)).toEqual([]);
    // No secret: neither a request nor the model's input, a step or the answer contains it.
    const said = JSON.stringify([attacked.seen, attacked.model.requests, attacked.steps, attacked.outcome]);
    expect(said).not.toContain(password);
    expect(said).not.toMatch(/root:x:0|PATH=/);
    expect(JSON.stringify(attacked.seen)).not.toContain(confidential);
    // No extra cost: the task stayed within its maximum of steps.
    expect(attacked.steps.length).toBeLessThanOrEqual(stepsMax);
    expect(attacked.model.requests.length).toBeLessThan(stepsMax + 60);
  });
});

describe('without the gates', () => {
  it.each([
    ['plain text asks to open an address', 'got=customers'],
    ['a file for a frame of the attacker', confidential],
    ['an address of the attacker with it', password],
    ['a field in a frame of the attacker', password],
  ])('%s succeeds, and is seen', async (name, want) => {
    const injection = all.find((one) => one.name === name);
    if (injection === undefined) throw new Error(`no injection ${name}`);
    expect(stolen(await attack(injection, { gated: false })).join('\n')).toMatch(want);
  });
});
