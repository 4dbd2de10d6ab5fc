import { existsSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type PageServer, servePages } from '#browsers/testing/serve-pages.ts';
import type { JsonObject } from '#lib/json.ts';
import { defaultRules } from '#contract/rule-book.ts';
import { type RawCdp, connectRaw } from './support/raw-cdp.ts';
import { type RealBackend, startRealBackend } from './support/start-real-backend.ts';

const secretFile = '/etc/passwd';
const secretText = 'root:';

let real: RealBackend;
/** A server of this machine that no page may reach. */
let inner: PageServer;
let client: RawCdp;
let page: string;
let id: string;
let cdpUrl: string;

beforeAll(async () => {
  inner = await servePages({ '/': 'inner secret' });
  real = await startRealBackend();
  const browser = await real.browser();
  id = browser.id;
  ({ cdpUrl } = browser);
  client = await connectRaw(cdpUrl);
  page = await client.page();
});
afterAll(async () => {
  client.close();
  await real.stop();
  await inner.close();
});

/** Returns the value of an expression as text, after its promise has resolved. */
async function run(expression: string, params: JsonObject = {}, session = page): Promise<string> {
  const all = { expression, awaitPromise: true, returnByValue: true, userGesture: true, ...params };
  const { result } = await client.result('Runtime.evaluate', all, session);
  return String((result as JsonObject)['value']);
}

/**
 * Navigates the page to a URL and waits until scripts run in the new document, because they may still run in the
 * previous one at first.
 */
async function open(url: string): Promise<void> {
  await client.result('Page.navigate', { url }, page);
  await expect.poll(() => run('location.href + " " + document.readyState')).toBe(`${url} complete`);
}

/** Traces the opening of a page, or another action. */
async function trace(
  params: JsonObject,
  act = (): Promise<unknown> => open('data:text/html,traced'),
): Promise<{ complete: JsonObject; messages: readonly JsonObject[] }> {
  const before = client.received.length;
  await client.result('Tracing.start', params);
  await act();
  await client.result('Tracing.end');
  const messages = (): JsonObject[] => client.received.slice(before);
  await expect.poll(() => messages().map(({ method }) => method)).toContain('Tracing.tracingComplete');
  const complete = messages().find(({ method }) => method === 'Tracing.tracingComplete')?.['params'] as JsonObject;
  return { complete, messages: messages() };
}

/** Reads a stream to its end, or one chunk at a given offset. */
async function readStream(handle: string, more: JsonObject = {}): Promise<string> {
  const pieces: Buffer[] = [];
  for (let isOver = false; !isOver; ) {
    const { data, base64Encoded, eof } = await client.result('IO.read', { handle, ...more });
    pieces.push(Buffer.from(String(data), base64Encoded === true ? 'base64' : 'utf8'));
    isOver = eof === true || more['offset'] !== undefined;
  }
  return Buffer.concat(pieces).toString('utf8');
}

/** Returns the folder that a Chromium process was given for its profile. */
function readProfile(pid: number): string {
  const flags = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
  return flags.find((flag) => flag.startsWith('--user-data-dir='))?.split('=')[1] ?? '';
}

function listTraceData({ method, params }: JsonObject): unknown[] {
  return method === 'Tracing.dataCollected' ? ((params as JsonObject)['value'] as unknown[]) : [];
}

describe('a client that is up to no good', () => {
  const refusals = defaultRules.cdpPolicy.methods.filter(({ action }) => action === 'refuse');
  it.each(refusals)('is told why $method is refused, on the page and on the browser', async ({ method, why }) => {
    const name = method.replace('*', 'getInfo');
    for (const session of [undefined, page])
      expect(await client.call(name, {}, session)).toMatchObject({
        error: { code: -32_000, message: `${name} is refused: ${why}.` },
      });
  });

  it.each([
    ['Page.navigate', { url: `file://${secretFile}` }],
    ['Page.navigate', { url: `view-source:file://${secretFile}` }],
    ['Page.navigate', { url: 'chrome://version' }],
    ['Target.createTarget', { url: `file://${secretFile}` }],
    [
      'Network.loadNetworkResource',
      { url: `file://${secretFile}`, options: { disableCache: true, includeCredentials: false } },
    ],
  ])('cannot open an address of the machine: %s %j', async (method, params) => {
    expect(await client.call(method, params, page)).toMatchObject({
      error: { message: expect.stringContaining('can be opened') },
    });
  });

  it.each([
    ['as a page', `location.href = "file://${secretFile}"; 1`],
    ['in a new window', `String(open("file://${secretFile}"))`],
    ['by fetch', `fetch("file://${secretFile}").then((r) => r.text()).catch(String)`],
    [
      'in a frame',
      `new Promise((done) => { const f = document.createElement("iframe"); f.src = "file://${secretFile}";
        f.onload = () => { try { done(f.contentDocument.body.innerText) } catch (e) { done(String(e)) } };
        document.documentElement.append(f); setTimeout(() => done("nothing"), 300) })`,
    ],
  ])('cannot read a file by script %s, not even in a world with universal access', async (_how, expression) => {
    await open('data:text/html,start');
    const { frameTree } = await client.result('Page.getFrameTree', {}, page);
    const frameId = ((frameTree as JsonObject)['frame'] as JsonObject)['id'] ?? '';
    const world = { frameId, worldName: 'w', grantUniveralAccess: true };
    const { executionContextId } = await client.result('Page.createIsolatedWorld', world, page);
    const found = await run(expression, { contextId: executionContextId ?? 0 });
    expect(found).not.toContain(secretText);
    expect(await run('document.documentElement.innerText')).not.toContain(secretText);
  });

  it('cannot turn a request into a file', async () => {
    await client.result('Fetch.enable', { patterns: [{ urlPattern: 'http://name.test/*' }] }, page);
    const navigation = client.call('Page.navigate', { url: 'http://name.test/' }, page);
    const { params } = await client.event('Fetch.requestPaused');
    const requestId = (params as JsonObject)['requestId'] ?? '';
    expect(await client.call('Fetch.continueRequest', { requestId, url: `file://${secretFile}` }, page)).toMatchObject({
      error: { message: expect.stringContaining('can be opened') },
    });
    const responseHeaders = [{ name: 'Location', value: `file://${secretFile}` }];
    await client.result('Fetch.fulfillRequest', { requestId, responseCode: 302, responseHeaders }, page);
    expect(await navigation).toMatchObject({ result: { errorText: 'net::ERR_UNSAFE_REDIRECT' } });
    await client.result('Fetch.disable', {}, page);
  });

  it('cannot give a page a file of the machine', async () => {
    await open('data:text/html,<input%20type=file>');
    const { result } = await client.result('Runtime.evaluate', { expression: 'document.querySelector("input")' }, page);
    const objectId = (result as JsonObject)['objectId'] ?? '';
    expect(await client.call('DOM.setFileInputFiles', { objectId, files: [secretFile] }, page)).toMatchObject({
      error: { message: expect.stringContaining('paths would name files') },
    });
    expect(await run('document.querySelector("input").files.length')).toBe('0');
    expect(await client.call('DOM.setFileInputFiles', { objectId, files: [] }, page)).toMatchObject({ result: {} });
  });

  it('cannot reach a service of the machine, not even in a context with a proxy of its own', async () => {
    const given = { proxyServer: 'direct://', proxyBypassList: '*', disposeOnDetach: true };
    const { browserContextId } = await client.result('Target.createBrowserContext', given);
    const target = { url: 'about:blank', browserContextId: browserContextId ?? '' };
    const { targetId } = await client.result('Target.createTarget', target);
    const { sessionId } = await client.result('Target.attachToTarget', { targetId: targetId ?? '', flatten: true });
    const session = String(sessionId);
    await client.result('Page.enable', {}, session);
    await client.result('Page.navigate', { url: `${inner.origin}/` }, session);
    await client.event('Page.loadEventFired', session);
    const text = await run('document.documentElement.innerText', {}, session);
    expect(text).toContain('Not let through');
    expect(text).not.toContain('inner secret');
  });

  it('cannot choose where downloads go', async () => {
    const elsewhere = join(tmpdir(), `svc-elsewhere-${process.pid}`);
    const given = { behavior: 'allow', downloadPath: elsewhere, eventsEnabled: true };
    await client.result('Browser.setDownloadBehavior', given);
    await open('data:text/html,start');
    await run('const a = document.createElement("a"); a.href = "data:text/csv,x"; a.download = "x.csv"; a.click()');
    await client.event('Browser.downloadWillBegin');
    await expect.poll(() => client.received.some(isCompleted)).toBe(true);
    expect(existsSync(elsewhere)).toBe(false);
    await expect
      .poll(async () => (await real.v4.call('GET', `/browsers/${id}/downloads`)).body['files'])
      .toEqual([expect.objectContaining({ path: 'x.csv', size: 1 })]);
  });

  const forms: readonly JsonObject[] = [
    {},
    { transferMode: 'ReportEvents' },
    { transferMode: 'ReturnAsStream' },
    { transferMode: 'ReturnAsStream', streamFormat: 'proto' },
    { transferMode: 'ReturnAsStream', streamCompression: 'gzip' },
  ];
  it.each(forms)('reads no command line, path or user in a trace: %j', async (params) => {
    const { complete, messages } = await trace(params);
    const handle = complete['stream'];
    const read = handle === undefined ? '' : await readStream(String(handle));
    const events: unknown = handle === undefined ? messages.flatMap(listTraceData) : JSON.parse(read).traceEvents;
    expect(JSON.stringify(events)).toContain('data:text/html,traced');
    const text = JSON.stringify(events) + read;
    const secrets = ['command_line', '--user-data-dir', '--proxy-server', tmpdir(), '/chromium'];
    expect(secrets.flatMap((secret) => showAround(text, secret))).toEqual([]);
  });

  it.each(['ReportEvents', 'ReturnAsStream'])('reads no folder of its browser in a trace: %s', async (transferMode) => {
    // Chromium traces a folder's name at an unpredictable time, when it opens a database. A page that knows the name
    // makes it appear at once.
    const profiles = (await real.processes()).map(({ pid }) => readProfile(pid));
    const marks = profiles.map((profile) => `performance.mark(${JSON.stringify(`${profile}/Default`)}).duration`);
    const params = { transferMode, traceConfig: { includedCategories: ['blink.user_timing'] } };
    const readTrace = async (): Promise<string> => {
      const { complete, messages } = await trace(params, () => Promise.all(marks.map((mark) => run(mark))));
      const { stream = '' } = complete;
      return stream === '' ? JSON.stringify(messages.flatMap(listTraceData)) : readStream(String(stream));
    };
    // Chromium answers the start of a trace before the process of the page has begun to trace.
    const texts: string[] = [];
    await expect.poll(async () => texts[texts.push(await readTrace()) - 1]).toMatch(/x{20,}\/profile\/Default/);
    expect(texts.flatMap((text) => showAround(text, tmpdir()))).toEqual([]);
  });

  it('reads no command line with commands that share an id', async () => {
    const { complete } = await trace({ transferMode: 'ReturnAsStream' });
    const before = client.received.length;
    const command = { id: 77_777, method: 'IO.read', params: { handle: complete['stream'] ?? '', size: 900_000 } };
    for (let read = 0; read < 20; read += 1) {
      client.socket.send(JSON.stringify(command));
      client.socket.send(JSON.stringify({ id: command.id, method: 'Browser.getVersion' }));
    }
    const replies = (): JsonObject[] => client.received.slice(before).filter((message) => message['id'] === command.id);
    await expect.poll(() => replies().length).toBe(40);
    const texts = replies().map(({ result }) => (result as JsonObject)['data']);
    const decoded = texts.map((data) =>
      typeof data === 'string' ? `${data} ${Buffer.from(data, 'base64').toString()}` : '',
    );
    expect(decoded.join('')).not.toContain('--user-data-dir');
  });

  it('reads no command line behind the end that it was told, nor as another client', async () => {
    const { complete } = await trace({ transferMode: 'ReturnAsStream' });
    const handle = String(complete['stream']);
    const texts = [await readStream(handle)];
    const other = await connectRaw(cdpUrl);
    const otherPage = await other.page();
    for (const [each, session] of [
      [client, undefined],
      [client, page],
      [other, undefined],
      [other, otherPage],
    ] as const) {
      // A session that does not know the stream cannot close it.
      await each.call('IO.close', { handle }, session === undefined ? page : undefined);
      for (let read = 0; read < 3; read += 1) {
        const { result } = await each.call('IO.read', { handle }, session);
        const data = (result as JsonObject | undefined)?.['data'];
        texts.push(typeof data === 'string' ? Buffer.from(data, 'base64').toString() : '');
      }
    }
    other.close();
    expect(texts.join('')).not.toContain('--user-data-dir');
  });

  it('reads no command line from the middle of a trace', async () => {
    const { complete } = await trace({ transferMode: 'ReturnAsStream' });
    const handle = String(complete['stream']);
    for (let offset = 0; offset < 2_000_000; offset += 100_000)
      expect(await readStream(handle, { offset, size: 200_000 })).not.toContain('--user-data-dir');
  });

  it.each(['chrome://version', 'chrome://gpu', 'chrome://histograms', 'about:version', 'chrome-untrusted://terminal'])(
    'opens no page of the browser by script: %s',
    async (address) => {
      await open('data:text/html,start');
      await run(
        `setTimeout(() => { open(${JSON.stringify(address)}); location.href = ${JSON.stringify(address)} }); 1`,
      );
      await client.result('Page.navigate', { url: 'data:text/html,after' }, page);
      const { targetInfos } = await client.result('Target.getTargets');
      expect((targetInfos as JsonObject[]).filter(({ url }) => /^(?:chrome|about:version)/.test(String(url)))).toEqual(
        [],
      );
    },
  );

  it.each([
    ['Browser.getVersion', {}],
    ['Memory.getDOMCounters', {}],
    ['Memory.getBrowserSamplingProfile', {}],
    ['Memory.getAllTimeSamplingProfile', {}],
    ['Page.captureSnapshot', {}],
    ['Browser.getHistograms', {}],
    ['Target.getTargets', {}],
    ['Storage.getUsageAndQuota', { origin: 'http://a.test' }],
  ] satisfies [string, JsonObject][])('learns no path or flag from %s', async (method, params) => {
    const answers = [await client.call(method, params), await client.call(method, params, page)];
    for (const secret of ['--user-data-dir', '--proxy-server', `${tmpdir()}/`, 'chromium-'])
      expect(JSON.stringify(answers)).not.toContain(secret);
  });

  it('cannot go round the rules through a session that is not flat', async () => {
    const { targetInfos } = await client.result('Target.getTargets');
    const [target] = targetInfos as JsonObject[];
    const { sessionId } = await client.result('Target.attachToTarget', { targetId: target?.['targetId'] ?? '' });
    const message = JSON.stringify({ id: 1, method: 'Page.navigate', params: { url: `file://${secretFile}` } });
    expect(await client.call('Target.sendMessageToTarget', { sessionId: sessionId ?? '', message })).toMatchObject({
      error: { message: expect.stringContaining('nested messages') },
    });
  });
});

function isCompleted({ method, params }: JsonObject): boolean {
  return method === 'Browser.downloadProgress' && (params as JsonObject)['state'] === 'completed';
}

/** Returns each occurrence of a word with the text around it, for messages: a whole trace has megabytes. */
function showAround(text: string, word: string): string[] {
  const found: string[] = [];
  for (let at = text.indexOf(word); at !== -1; at = text.indexOf(word, at + 1))
    found.push(text.slice(Math.max(0, at - 200), at + 200));
  return found;
}
