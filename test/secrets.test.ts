import { mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { type Server, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable, Writable } from 'node:stream';
import { pino } from 'pino';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '#lib/json.ts';
import type { BrowserHost, DownloadTaker } from '#browsers/host.ts';
import { createSimulatedHost } from '#browsers/index.ts';
import { type ApiClient, createApiClient } from './support/api-client.ts';
import { connectViewer } from './support/connect-viewer.ts';
import { createGatedHost } from './support/gated-host.ts';
import { createScriptedAgent, waitForTask } from './support/scripted-agent.ts';
import { type StartedBackend, startBackend, testKey } from './support/start-backend.ts';
import { type RealBackend, startRealBackend } from './support/start-real-backend.ts';

const value = 'p@ss Wörd/17';
const spellings = [value, value.toUpperCase(), encodeURIComponent(value), 'p%40ss+W%C3%B6rd%2F17'];

/**
 * A page that repeats typed text in its title, its headings, its texts, its table and its links: in every position that
 * the agent can read.
 */
const page = `<!doctype html><meta charset="utf-8"><title>Login</title><h1 id="h">Sign in</h1>
<form action="/done"><label>Password <input id="p" name="pw" type="text"></label></form>
<p id="t"></p><table><caption id="c">c</caption><tr><th id="e">e</th></tr><tr><td id="d">d</td></tr></table><a id="a" href="/x">x</a>
<script>p.oninput = () => { const v = p.value; document.title = 'T ' + v; h.textContent = 'H ' + v; t.textContent = v.toUpperCase();
c.textContent = v; d.textContent = v; e.textContent = v; a.textContent = v; a.href = '/x?v=' + encodeURIComponent(v); };</script>`;

function contents(folder: string): string {
  return readdirSync(folder, { withFileTypes: true })
    .flatMap((entry) => {
      const path = join(folder, entry.name);
      return entry.isDirectory() ? contents(path) : readFileSync(path, 'latin1');
    })
    .join();
}

describe('a secret in a real browser', () => {
  let started: RealBackend;
  let server: Server;
  let origin = '';
  let requests: string[] = [];
  let logged = '';
  let answers = '';

  beforeAll(async () => {
    server = createServer((request, response) => {
      requests.push(String(request.url));
      response.setHeader('content-type', 'text/html; charset=utf-8');
      response.end(page);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
    origin = `http://${host}`;
    const sink = new Writable({
      write(chunk, _encoding, done) {
        logged += String(chunk);
        done();
      },
    });
    started = await startRealBackend({ allow: [host], log: pino({ level: 'trace' }, sink) });
  });
  afterAll(async () => {
    await started.stop();
    await new Promise((resolve) => server.close(resolve));
  });
  /** Expects that no answer, log, blob or database file contains the secret. */
  const expectHidden = (): void => {
    for (const spelling of spellings) {
      expect(answers).not.toContain(spelling);
      expect(logged).not.toContain(spelling);
      expect(contents(join(started.dataFolder, 'blobs'))).not.toContain(spelling);
    }
    const rows = readFileSync(join(started.dataFolder, 'svc.sqlite'), 'latin1');
    const wal = readFileSync(join(started.dataFolder, 'svc.sqlite-wal'), 'latin1');
    for (const spelling of spellings)
      expect(rows + wal).not.toContain(Buffer.from(spelling, 'utf8').toString('latin1'));
  };

  /** Creates a client that records every answer. */
  function client(version: 'v2' | 'v3' | 'v4'): ApiClient {
    const api = createApiClient(started.address, undefined, version);
    const keep = <Found>(found: Found): Found => {
      answers += JSON.stringify(found);
      return found;
    };
    return {
      call: async (...request) => keep(await api.call(...request)),
      until: async (...request) => keep(await api.until(...request)),
    };
  }

  const goal = (): string =>
    `Open ${origin}/login, type the secret 'password' into 'Password', read the title, headings, links, tables, text and url, press Enter, read the url and text`;

  it('V4: typed on its domain, and nowhere to be read', async () => {
    requests = [];
    const api = client('v4');
    const bindings = [{ alias: 'password', source: { type: 'inline', value }, allowedDomains: ['127.0.0.1'] }];
    const { body } = await api.call('POST', '/runs', { task: goal(), secretBindings: bindings });
    const run = await api.until(String(body['id']), ({ status }) => ['completed', 'failed'].includes(String(status)));
    expect(run['result']).toContain('<secret:password>');
    expect(run['status']).toBe('completed');
    expect(new URL(requests.find((url) => url.startsWith('/done')) ?? '/', origin).searchParams.get('pw')).toBe(value);
    await api.call('GET', `/runs/${String(run['id'])}/events`);
    await api.call('GET', `/sessions/${String(run['sessionId'])}`);
    const next = await api.call('POST', `/sessions/${String(run['sessionId'])}/queue`, {
      text: `Open ${origin}/login?v=1, type the secret 'password' into 'Password'`,
    });
    const later = await api.until(String(next.body['runId']), ({ status }) => status === 'completed');
    expect(later['result']).toContain('There is no secret "password" for this task. The task has no secrets.');
    expectHidden();
  });

  it('in words no live view says it, and from then on the view of a share shows nothing', async () => {
    const api = client('v2');
    const sessionId = String((await api.call('POST', '/sessions', {})).body['id']);
    const work = async (task: string, secrets: JsonObject | null): Promise<void> => {
      const { body } = await api.call('POST', '/tasks', { task, sessionId, ...(secrets === null ? {} : { secrets }) });
      await api.until(String(body['id']), ({ status }) => status === 'finished', 60_000);
    };
    await work(`Open ${origin}/login`, null);
    const session = (await api.call('GET', `/sessions/${sessionId}`)).body;
    const share = String((await api.call('POST', `/sessions/${sessionId}/public-share`)).body['shareUrl']);
    const owner = await connectViewer(String(session['liveUrl']));
    const guest = await connectViewer(share.replace('/share/', '/live/'));
    await guest.report((report) => report.type === 'scene' && report.scene.tabs.length === 1);
    await work("Type the secret 'password' into 'Password', press Enter", { password: value });
    await owner.report(
      (report) => report.type === 'scene' && /<secret:password>/.test(JSON.stringify(report.scene.tabs)),
    );
    await guest.report((report) => report.type === 'scene' && report.scene.trouble === 'hidden');
    expect(guest.scene()).toMatchObject({ tabs: [], active: null });
    const seen = guest.pictures.length;
    await work(`Open ${origin}/login?again=1`, null);
    await owner.report((report) => report.type === 'scene' && report.scene.tabs[0]?.url.endsWith('again=1') === true);
    expect(guest.pictures).toHaveLength(seen);
    for (const spelling of spellings) expect(JSON.stringify([owner.reports, guest.reports])).not.toContain(spelling);
    owner.close();
    guest.close();
    await api.call('PATCH', `/sessions/${sessionId}`, { action: 'stop' });
  });

  it('a later task of the same browser does not read it either', async () => {
    const api = client('v3');
    const task = `Open ${origin}/login, type the secret 'password' into 'Password'`;
    const first = await api.call('POST', '/sessions', { task, keepAlive: true, sensitiveData: { password: value } });
    const session = await api.until(String(first.body['id']), ({ status }) => status === 'idle');
    expect(session['isTaskSuccessful']).toBe(true);
    const picture = await started.backend.db
      .selectFrom('steps')
      .select('screenshotKey')
      .orderBy('id', 'desc')
      .executeTakeFirst();
    expect(picture?.screenshotKey).toBeNull();
    await api.call('POST', '/sessions', {
      task: 'Read the title and text',
      sessionId: String(session['id']),
      keepAlive: true,
    });
    const later = await api.until(String(session['id']), ({ status }) => status === 'idle');
    expect(later['output']).toContain('<secret:password>');
    await api.call('GET', `/sessions/${String(session['id'])}/messages`);
    await api.call('DELETE', `/sessions/${String(session['id'])}`);
    expectHidden();
  });

  it('V2: a key that is a domain binds its value to it', async () => {
    requests = [];
    const api = client('v2');
    const task = `Open ${origin}/login, type the secret '127.0.0.1' into 'Password', press Enter, read the text`;
    const allowed = await api.call('POST', '/tasks', { task, secrets: { '127.0.0.1': value } });
    const done = await api.until(String(allowed.body['id']), ({ status }) => status === 'finished');
    expect(done).toMatchObject({ isSuccess: true });
    expect(requests.some((url) => url.startsWith('/done'))).toBe(true);
    const { body } = await api.call('GET', `/tasks/${String(done['id'])}/logs`);
    answers += await (await fetch(String(body['downloadUrl']))).text();
    const elsewhere = task.replace("'127.0.0.1'", "'shop.example'");
    const other = await api.call('POST', '/tasks', { task: elsewhere, secrets: { 'shop.example': value } });
    const refused = await api.until(String(other.body['id']), ({ status }) => status === 'finished');
    expect(refused).toMatchObject({ isSuccess: false });
    expect(refused['output']).toContain('where the secret may not be typed');
    expectHidden();
  });

  it('V4: not typed on another domain', async () => {
    requests = [];
    const api = client('v4');
    const bindings = [{ alias: 'password', source: { type: 'inline', value }, allowedDomains: ['shop.example'] }];
    const { body } = await api.call('POST', '/runs', { task: goal(), secretBindings: bindings });
    const run = await api.until(String(body['id']), ({ status }) => status === 'completed');
    expect(run['result']).toContain('where the secret may not be typed');
    expect(requests.some((url) => url.startsWith('/done'))).toBe(false);
    expectHidden();
  });
});

describe('a secret', () => {
  let started: StartedBackend | undefined;
  afterEach(() => started?.stop());

  const bindings = [{ alias: 'pin', source: { type: 'inline', value }, allowedDomains: ['shop.example'] }];
  const sealed = async (): Promise<(string | null)[]> =>
    ((await started?.backend.db.selectFrom('runs').select('secrets').execute()) ?? []).map(({ secrets }) => secrets);

  it('that the task itself names is shown as its placeholder', async () => {
    const agent = createScriptedAgent();
    started = await startBackend({ agent });
    const api = createApiClient(started.address, undefined, 'v4');
    const { body } = await api.call('POST', '/runs', { task: `Type '${value}' into PIN`, secretBindings: bindings });
    const goal = "Type '<secret:pin>' into PIN";
    const running = await waitForTask(agent, goal);
    expect(running.task.secretNames).toEqual(['pin']);
    await running.step();
    running.finish({ success: true, output: { [value]: `it is ${value}` }, reason: value });
    const run = await api.until(String(body['id']), ({ status }) => status === 'completed');
    expect(run).toMatchObject({ task: goal, title: goal, result: '{"<secret:pin>":"it is <secret:pin>"}' });
  });

  it('is sealed while its task needs it and gone when the task has ended, however it ended', async () => {
    const agent = createScriptedAgent();
    started = await startBackend({ agent });
    const api = createApiClient(started.address, undefined, 'v4');
    const ends = [
      async (goal: string) => (await waitForTask(agent, goal)).finish({ success: true, output: null }),
      async (goal: string) => (await waitForTask(agent, goal)).fail(new Error('boom')),
      async (_goal: string, id: string) => void (await api.call('POST', `/runs/${id}/cancel`)),
      async (_goal: string, _id: string, session: string) => void (await api.call('DELETE', `/sessions/${session}`)),
    ];
    for (const [index, end] of ends.entries()) {
      const task = `goal ${index}`;
      const { body } = await api.call('POST', '/runs', { task, secretBindings: bindings });
      await waitForTask(agent, task);
      const now = (await sealed()).filter((text) => text !== null);
      expect(now).toHaveLength(1);
      expect(now[0]).not.toContain(value);
      await end(task, String(body['id']), String(body['sessionId']));
      await expect.poll(sealed).not.toContainEqual(expect.any(String));
    }
  });

  it('stands in no failure of its task, and in no line of the log about it', async () => {
    const agent = createScriptedAgent();
    let logged = '';
    const sink = new Writable({
      write(chunk, _encoding, done) {
        logged += String(chunk);
        done();
      },
    });
    started = await startBackend({ agent, log: pino({ level: 'trace' }, sink) });
    const api = createApiClient(started.address, undefined, 'v4');
    const { body } = await api.call('POST', '/runs', { task: 'fails', secretBindings: bindings });
    (await waitForTask(agent, 'fails')).fail(new Error(`it broke at ${value}`, { cause: value }));
    const run = await api.until(String(body['id']), ({ status }) => status === 'failed');
    expect(run['error']).toBe('it broke at <secret:pin>');
    const events = await api.call('GET', `/runs/${String(body['id'])}/events`);
    expect(JSON.stringify(events.body)).not.toContain(value);
    expect(logged).toContain('the agent failed');
    expect(logged).not.toContain(value);
  });

  it('is in no name that a page gives a download, nor in the log when that is not kept', async () => {
    const agent = createScriptedAgent();
    const simulated = createSimulatedHost();
    const takers: DownloadTaker[] = [];
    const host: BrowserHost = {
      ...simulated,
      launch: async (options) => ({
        ...(await simulated.launch(options)),
        takeDownloads(taker) {
          takers.push(taker);
          return { settled: async () => undefined, cancel: () => undefined, stop: async () => undefined };
        },
      }),
    };
    let logged = '';
    const sink = new Writable({
      write(chunk, _encoding, done) {
        logged += String(chunk);
        done();
      },
    });
    started = await startBackend({ agent, host, log: pino({ level: 'trace' }, sink) });
    const api = createApiClient(started.address, undefined, 'v4');
    const secretBindings = [{ alias: 'pin', source: { type: 'inline', value: 'hunter22' }, allowedDomains: ['a'] }];
    const { body } = await api.call('POST', '/runs', { task: 'one', secretBindings });
    const { world } = await waitForTask(agent, 'one');
    const [taker] = takers;
    await taker?.take({ fileName: 'of hunter22.txt', size: 3, bytes: Readable.from([Buffer.from('abc')]) });
    await taker?.take({ fileName: 'hunter22.big', size: 1e12, bytes: Readable.from([]) });
    await expect(world.files.downloads()).rejects.toThrow('The download <secret:pin>.big was not kept');
    const { files } = (await api.call('GET', `/workspaces/${String(body['workspaceId'])}/files`)).body;
    expect(JSON.stringify(files)).toMatch(/of .*pin.*txt/);
    expect(JSON.stringify(files)).not.toContain('hunter22');
    expect(logged).toContain('a download was not kept');
    expect(logged).not.toContain('hunter22');
  });

  it('is in no picture that an earlier task of the browser was waiting for: the later one begins behind it', async () => {
    const agent = createScriptedAgent();
    const host = createGatedHost();
    started = await startBackend({ agent, host });
    const api = createApiClient(started.address);
    const { body } = await api.call('POST', '/sessions', { task: 'one', keepAlive: true });
    const id = String(body['id']);
    const pictures = async () => (await started?.backend.db.selectFrom('pictures').selectAll().execute())?.length;
    const one = await waitForTask(agent, 'one');
    expect(await pictures()).toBe(1);
    const release = host.holdScreenshots();
    const stepped = one.step().catch((error: unknown) => error);
    await api.call('POST', `/sessions/${id}/stop`, { strategy: 'task' });
    await api.until(id, ({ status }) => status === 'idle');
    await api.call('POST', '/sessions', { sessionId: id, task: 'two', sensitiveData: { pin: value } });
    expect([...agent.running.keys()]).toEqual([]);
    release();
    const tab = await (await waitForTask(agent, 'two')).world.tab();
    await tab.open('data:text/html,<input name="PIN" aria-label="PIN">');
    await tab.type('PIN', '<secret:pin>');
    await stepped;
    expect(await pictures()).toBe(1);
  });

  it('of a task that waits for its browser survives a restart, and goes with a cancel before it', async () => {
    // The browsers of this host start only when the service ends. Requests for a browser wait until then.
    const simulated = createSimulatedHost();
    const closed = Promise.withResolvers<void>();
    const host: BrowserHost = {
      ...simulated,
      launch: (options) => closed.promise.then(() => simulated.launch(options)),
      close: async () => closed.resolve(),
    };
    started = await startBackend({ host, dataFolder: mkdtempSync(join(tmpdir(), 'svc-secrets-')) });
    const { dataFolder } = started;
    const api = createApiClient(started.address, undefined, 'v4');
    const waits = await api.call('POST', '/runs', { task: 'waits', secretBindings: bindings });
    const cancelled = await api.call('POST', '/runs', { task: 'cancelled', secretBindings: bindings });
    await api.call('POST', `/runs/${String(cancelled.body['id'])}/cancel`);
    expect((await sealed()).filter((text) => text !== null)).toHaveLength(1);
    await started.stop();
    const agent = createScriptedAgent();
    started = await startBackend({ agent, dataFolder });
    const running = await waitForTask(agent, 'waits');
    expect(running.task.secretNames).toEqual(['pin']);
    running.finish({ success: true, output: value });
    const again = createApiClient(started.address, undefined, 'v4');
    const run = await again.until(String(waits.body['id']), ({ status }) => status === 'completed');
    expect(run['result']).toBe('<secret:pin>');
    await started.stop();
    started = undefined;
    rmSync(dataFolder, { recursive: true });
  });

  it('that cannot be opened any more ends its task with the reason', async () => {
    const host = createGatedHost();
    const go = host.holdLaunches();
    started = await startBackend({ host });
    const api = createApiClient(started.address, undefined, 'v4');
    const { body } = await api.call('POST', '/runs', { task: 'Say hello', secretBindings: bindings });
    await started.backend.db.updateTable('runs').set({ secrets: 'AAAA' }).execute();
    go();
    const run = await api.until(String(body['id']), ({ status }) => status === 'failed');
    expect(run['error']).toBe('the secrets of the task cannot be opened any more: create the task again');
  });

  /** Secrets with the maximum length, one more than a task may have. */
  const seventeen = Object.fromEntries(Array.from({ length: 17 }, (_, index) => [`s${index}`, 'x'.repeat(4_096)]));

  const wrong: readonly { version: 'v2' | 'v3' | 'v4'; path: string; body: JsonObject; loc: unknown[] }[] = [
    {
      version: 'v4',
      path: '/runs',
      body: { secretBindings: [...bindings, ...bindings] },
      loc: ['secretBindings', 1, 'alias'],
    },
    {
      version: 'v4',
      path: '/runs',
      body: { secretBindings: Array.from({ length: 11 }, () => bindings[0] ?? null) },
      loc: ['secretBindings'],
    },
    {
      version: 'v4',
      path: '/runs',
      body: {
        secretBindings: [{ alias: 'a', source: { type: 'inline', value: 'ü'.repeat(2049) }, allowedDomains: ['a'] }],
      },
      loc: ['secretBindings', 0, 'source', 'value'],
    },
    {
      version: 'v4',
      path: '/runs',
      body: { secretBindings: [{ alias: 'a', source: { type: 'inline', value: '' }, allowedDomains: ['a'] }] },
      loc: ['secretBindings', 0, 'source', 'value'],
    },
    {
      version: 'v4',
      path: '/runs',
      body: { secretBindings: [{ alias: 'a', source: { type: 'vault', value }, allowedDomains: ['a'] }] },
      loc: ['secretBindings', 0, 'source', 'type'],
    },
    {
      version: 'v4',
      path: '/runs',
      body: { secretBindings: [{ alias: 'a', source: { type: 'inline', value }, allowedDomains: [] }] },
      loc: ['secretBindings', 0, 'allowedDomains'],
    },
    {
      version: 'v4',
      path: '/runs',
      body: {
        secretBindings: [{ alias: 'a', source: { type: 'inline', value }, allowedDomains: ['https://a.example'] }],
      },
      loc: ['secretBindings', 0, 'allowedDomains', 0],
    },
    {
      version: 'v4',
      path: '/runs',
      body: { secretBindings: [{ alias: 'a', source: { type: 'inline', value }, allowedDomains: ['a'], more: value }] },
      loc: ['secretBindings', 0, 'more'],
    },
    { version: 'v4', path: '/runs', body: { secretBindings: value }, loc: ['secretBindings'] },
    { version: 'v3', path: '/sessions', body: { sensitiveData: value }, loc: ['sensitiveData'] },
    { version: 'v3', path: '/sessions', body: { sensitiveData: { a: { b: value } } }, loc: ['sensitiveData', 'a'] },
    { version: 'v3', path: '/sessions', body: { sensitiveData: { a: 'ü'.repeat(2049) } }, loc: ['sensitiveData', 'a'] },
    { version: 'v3', path: '/sessions', body: { task: null, sensitiveData: { a: value } }, loc: ['sensitiveData'] },
    { version: 'v2', path: '/tasks', body: { secrets: { a: [value] } }, loc: ['secrets', 'a'] },
    { version: 'v2', path: '/tasks', body: { secrets: { a: 'ü'.repeat(2049) } }, loc: ['secrets', 'a'] },
    { version: 'v2', path: '/tasks', body: { secrets: seventeen }, loc: ['secrets', 's16'] },
    { version: 'v3', path: '/sessions', body: { sensitiveData: seventeen }, loc: ['sensitiveData', 's16'] },
  ];

  it.each(wrong)('is refused where it is wrong, and not shown: $version $loc', async ({ version, path, body, loc }) => {
    started = await startBackend();
    const api = createApiClient(started.address, undefined, version);
    const answer = await api.call('POST', path, { task: 'Say hello', ...body });
    expect(answer.status).toBe(422);
    expect((answer.body['detail'] as JsonObject[]).map((detail) => detail['loc'])).toContainEqual(['body', ...loc]);
    expect(JSON.stringify(answer.body)).not.toContain(value);
  });

  const around: readonly (readonly [path: string, text: string])[] = [
    ['/v2/tasks', '{"task":"x","secrets":{"a":hunter2}}'],
    ['/v2/tasks', 'hunter2'],
    ['/v2/tasks', '[{"secrets":{"a":"hunter2"}}]'],
    ['/v2/tasks', String.raw`"{\"secrets\":{\"a\":\"hunter2\"}}"`],
    ['/v2/tasks', '{"task":{"secrets":{"a":"hunter2"}}}'],
    ['/v4/runs', '{"task":"x","browserSettings":{"customProxy":"http://user:hunter2@host:1"}}'],
    ['/v4/runs', '{"task":"x","browserSettings":{"customProxy":{"host":"a","port":"x","password":"hunter2"}}}'],
    ['/v4/runs', '{"task":"x","browserSettings":{"customProxy":{"host":"a","port":1,"username":["hunter2"]}}}'],
    ['/v4/browsers', '{"customProxy":{"host":["http://hunter2@a"],"port":1}}'],
    ['/v2/sessions', '{"customProxy":["http://user:hunter2@host:1"]}'],
  ];

  it.each(around)('is not shown by a refusal of what is around it: POST %s %s', async (path, text) => {
    started = await startBackend();
    const headers = { 'x-service-api-key': testKey, 'content-type': 'application/json' };
    const answer = await fetch(`${started.address}/api${path}`, { method: 'POST', headers, body: text });
    expect(answer.status).toBe(422);
    expect(await answer.text()).not.toContain('hunter2');
  });
});
