import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { JsonObject } from '#lib/json.ts';
import { createApiClient } from './support/api-client.ts';
import { endProcesses } from './support/end-processes.ts';
import {
  type ProviderStub,
  answerJson,
  answerWell,
  startProviderStub,
} from './support/provider-stub/start-provider-stub.ts';
import { type Collector, startCollector } from './support/start-collector.ts';
import { desk, makeWorkspace } from './support/workspace-client.ts';

/**
 * Values that no log, trace, metric, audit entry or refusal of a service may contain. The key says what the value is.
 */
const secrets = {
  'an API key': 'svc_key-that-nobody-tells-0123456789',
  'a wrong key': 'svc_wrong-key-that-nobody-tells',
  'a provider key': 'provider-key-that-nobody-tells',
  'a secret of a run': 'run-secret-that-nobody-tells',
  'a password of a proxy': 'proxy-password-that-nobody-tells',
  'a word of a task': 'taskwordthatnobodytells',
  'a word of a model': 'modelwordthatnobodytells',
  'a word of a query': 'querywordthatnobodytells',
  'a header of a caller': 'headerwordthatnobodytells',
  'a broken body': 'bodywordthatnobodytells',
} as const;

/** Secrets that the service creates itself, such as signatures and tokens. The key says what the value is. */
const made = new Map<string, string>();
const refusals: string[] = [];
const startedMs = 120_000;

let folder: string;
let stub: ProviderStub;
let collector: Collector;
let service: ChildProcess;
let log = '';
let address = '';
let figures = '';

/** Starts `svc serve` with every kind of output, uses all features, and stops it. */
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'svc-told-'));
  stub = await startProviderStub(secrets['a provider key']);
  collector = await startCollector();
  const metrics = await start();
  await useEverything();
  figures = await (await fetch(`${metrics}/metrics`)).text();
  await endProcesses([service], 'SIGTERM');
}, startedMs);
afterAll(async () => {
  await endProcesses([service]);
  await collector.close();
  await stub[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true, force: true });
});

/** Starts the service; returns the URL of its metrics. */
async function start(): Promise<string> {
  const providers = join(folder, 'providers.yaml');
  writeFileSync(
    providers,
    `providers: { openai: { apiKey: "${secrets['a provider key']}", baseUrl: "${stub.address}/openai/v1" } }\n`,
  );
  const places = ['--data', join(folder, 'data'), '--audit', join(folder, 'audit'), '--providers', providers];
  const tells = ['--traces', collector.address, '--metrics', '127.0.0.1:0', '--log-level', 'debug'];
  const other = ['--port', '0', '--hosts', 'simulated', '--no-mail', '--bootstrap-key', secrets['an API key']];
  const args = ['src/cli/main.ts', 'serve', ...places, ...tells, ...other];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  service = child;
  child.stderr.setEncoding('utf8').on('data', (text: string) => void (log += text));
  let metrics = '';
  for await (const line of createInterface({ input: child.stdout })) {
    if (line.startsWith('metrics on ')) metrics = line.slice('metrics on '.length);
    if (!line.startsWith('listening on ')) continue;
    address = line.slice('listening on '.length);
    return metrics;
  }
  throw new Error(`it ended without an address: ${log}`);
}

async function useEverything(): Promise<void> {
  await runTasks();
  await openBrowser();
  await moveFiles();
  await logIn();
  await sendNonsense();
}

const api = (version: 'v2' | 'v3' | 'v4'): ReturnType<typeof createApiClient> =>
  createApiClient(address, secrets['an API key'], version);

/** Creates a resource; throws if the creation is refused. */
async function make(version: 'v2' | 'v3' | 'v4', path: string, wanted: JsonObject): Promise<JsonObject> {
  const { status, body } = await api(version).call('POST', path, wanted);
  if (status >= 300) throw new Error(`refused: ${JSON.stringify(body)}`);
  return body;
}

async function runTasks(): Promise<void> {
  const model = 'gpt-5.6-luna';
  const task = `Look after ${secrets['a word of a task']}`;
  const word = secrets['a word of a model'];
  const call = (name: string, given: JsonObject, id: string): ReturnType<typeof answerWell> =>
    answerWell({ call: { id, name, arguments: given } });
  const settings = {
    secretBindings: [
      {
        alias: 'password',
        source: { type: 'inline', value: secrets['a secret of a run'] },
        allowedDomains: ['shop.example'],
      },
    ],
    browserSettings: {
      customProxy: { host: '127.0.0.1', port: 9, username: 'ann', password: secrets['a password of a proxy'] },
    },
  };
  // The model answers with an action, an unknown tool, and an error that quotes the key. Later answers are those of the
  // stub.
  stub.next.push(
    call('navigate', { url: `https://shop.example/${word}?q=${word}` }, 'one'),
    call(word, { kind: word }, 'two'),
    answerJson(500, { error: { message: `key ${secrets['a provider key']} ${word}` } }),
  );
  // With a cost limit, no title is requested meanwhile. A title request could receive the first answer.
  const run = await make('v4', '/runs', { task, model, maxCostUsd: 5, ...settings });
  await api('v4').until(String(run['id']), ({ status }) => ['completed', 'failed'].includes(String(status)), 60_000);
  const session = await make('v3', '/sessions', { task, keepAlive: true });
  const idle = await api('v3').until(String(session['id']), ({ status }) => status === 'idle', 60_000);
  note('an address of a live view', idle['liveUrl'], /live\/([\w-]{20,})/);
  await fetch(String(idle['liveUrl']));
  const owned = await make('v2', '/sessions', {});
  const share = await make('v2', `/sessions/${String(owned['id'])}/public-share`, {});
  note('an address of a share', share['shareUrl'], /share\/([\w-]{20,})/);
  await fetch(String(share['shareUrl']));
}

async function openBrowser(): Promise<void> {
  const body = await make('v4', '/browsers', {
    customProxy: { host: '127.0.0.1', port: 9, username: 'ann', password: secrets['a password of a proxy'] },
  });
  const cdpUrl = String(body['cdpUrl']);
  note('an address of a browser', cdpUrl, /browser\/([\w-]{20,})/);
  await fetch(`${cdpUrl.replace(/^ws/, 'http')}/json/version`);
  for (const url of [cdpUrl, `${cdpUrl}x`]) {
    const socket = new WebSocket(url);
    await new Promise((resolve) => ['open', 'error'].forEach((kind) => socket.addEventListener(kind, resolve)));
    socket.close();
  }
  await api('v4').call('PATCH', `/browsers/${String(body['id'])}`, { action: 'stop' });
}

async function moveFiles(): Promise<void> {
  const files = desk(api('v4'), await makeWorkspace(api('v4')));
  await files.store('notes.txt', 'a word');
  const [listed] = await files.files('?includeUrls=true');
  const url = String(listed?.['url']);
  note('a signature', url, /[?&]\w*(?:sig|signature)\w*=([\w%-]{20,})/i);
  expect((await fetch(url)).status).toBe(200);
  await fetch(`${url}x`);
}

async function logIn(): Promise<void> {
  const send = (init: RequestInit & { body?: string }): Promise<Response> =>
    fetch(`${address}/console/api/login`, {
      ...init,
      headers: { origin: address, 'content-type': 'application/json' },
    });
  const body = JSON.stringify({ key: secrets['an API key'] });
  const login = await send({ method: 'POST', body });
  note('a cookie', login.headers.get('set-cookie'), /svc_console_\d+=([\w-]{20,})/);
  note('a token of the console', await login.text(), /"csrf":"([\w-]{20,})"/);
  for (const wrong of [
    { key: [secrets['an API key']] },
    { link: secrets['a broken body'] },
    { key: secrets['a wrong key'] },
  ])
    refusals.push(await (await send({ method: 'POST', body: JSON.stringify(wrong) })).text());
}

async function sendNonsense(): Promise<void> {
  const send = async (path: string, init: Sent = {}): Promise<void> => {
    const headers = {
      'x-service-api-key': secrets['an API key'],
      'content-type': 'application/json',
      'x-request-id': `${secrets['a header of a caller']} `.repeat(2),
      authorization: `Bearer ${secrets['a header of a caller']}`,
      traceparent: secrets['a header of a caller'],
      tracestate: `x=${secrets['a header of a caller']}`,
      baggage: `x=${secrets['a header of a caller']}`,
      ...init.headers,
    };
    refusals.push(await (await fetch(address + path, { ...init, headers })).text());
  };
  const body = secrets['a broken body'];
  const query = secrets['a word of a query'];
  await send('/api/v4/runs', { headers: { 'x-service-api-key': secrets['a wrong key'] } });
  await send(`/api/v4/runs?limit=0&key=${query}`);
  await send('/api/v4/runs', { method: 'POST', body: `{"task": "${body}` });
  await send('/api/v4/runs', { method: 'POST', body: `[{"secretBindings":"${body}"}]` });
  await send('/api/v3/sessions', { method: 'POST', body: `{"task":"x","sensitiveData":"${body}"}` });
  await send('/screenshots/x', { method: 'PUT', body });
  await send(`/nowhere?key=${query}`);
}

/** Method, body and headers of a request. */
interface Sent {
  readonly method?: string;
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

function note(name: string, text: unknown, form: RegExp): void {
  const [, found] = form.exec(String(text)) ?? [];
  if (found === undefined) throw new Error(`expected ${name}, found ${String(text)}`);
  made.set(name, found);
}

it('tells nothing of what is secret in its log, traces, figures, audit and refusals', () => {
  const told = {
    log,
    traces: collector.text(),
    figures,
    audit: readFileSync(join(folder, 'audit'), 'utf8'),
    refusals: refusals.join('\n'),
  };
  const found = [...Object.entries(secrets), ...made].flatMap(([what, secret]) =>
    Object.entries(told).flatMap(([where, text]) => (text.includes(secret) ? [`${what} in ${where}`] : [])),
  );
  expect(found).toEqual([]);
});

it('tells of all of it all the same', () => {
  expect([...made.keys()]).toHaveLength(6);
  expect(log).toContain('a call of a model failed');
  expect(log).toContain('"operation":"v4 createBrowser"');
  const names = collector.spans.map(({ name }) => name);
  expect(names).toEqual(expect.arrayContaining(['chat gpt-5.6-luna', 'step', 'task', 'start browser']));
  expect(figures).toContain('svc_model_calls_total{provider="openai"');
  expect(refusals.filter((text) => text.includes('detail'))).toHaveLength(10);
});
