import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type S3Blobs, openS3Blobs } from '#store/blobs/s3-blobs.ts';
import { listUnreferencedKeys } from '#store/blobs/unreferenced-blobs.ts';
import type { JsonObject } from '#lib/json.ts';
import { type ApiClient, createApiClient } from './support/api-client.ts';
import { type StartedBackend, otherKey, startBackend, testKey } from './support/start-backend.ts';
import { type StartedS3, s3Environment, startS3 } from './support/start-s3.ts';
import { type Form, formFor, sendForm } from './support/upload-form.ts';
import { blobNames } from './support/workspace-client.ts';

const unknownId = '00000000-0000-4000-8000-000000000000';

let started: StartedBackend;
let v2: ApiClient;

async function start(changes: Parameters<typeof startBackend>[0] = {}): Promise<void> {
  started = await startBackend(changes);
  v2 = createApiClient(started.address, testKey, 'v2');
}

afterEach(() => started.stop());

const newSession = async (): Promise<string> => String((await v2.call('POST', '/sessions', {})).body['id']);

/** Runs a task to its end in the given session or a new one. */
async function runTask(task: string, sessionId?: string): Promise<JsonObject> {
  const created = await v2.call('POST', '/tasks', { task, ...(sessionId === undefined ? {} : { sessionId }) });
  if (created.status !== 202) throw new Error(JSON.stringify(created));
  return v2.until(String(created.body['id']), ({ status }) => status === 'finished');
}

/** Resolves when a session accepts tasks: runs a task in it to its end. */
async function ready(session: string): Promise<void> {
  await runTask('Say ready', session);
}

const readRows = (): Promise<unknown[]> => started.backend.db.selectFrom('files').select('id').execute();

describe.each(['disk', 's3'] as const)('a form for a file (%s)', (store) => {
  let s3: StartedS3 | undefined;
  let opened: S3Blobs | undefined;
  let session: string;
  const kept = (): string[] => (s3 === undefined ? blobsOnDisk() : s3.objects());

  beforeEach(async () => {
    if (store === 's3') {
      for (const [name, value] of Object.entries(s3Environment)) vi.stubEnv(name, value);
      s3 = await startS3();
      opened = await openS3Blobs(s3.parsed);
    }
    await start(opened === undefined ? {} : { blobs: opened.blobs });
    session = await newSession();
    await ready(session);
  });
  afterEach(async () => {
    opened?.close();
    await s3?.stop();
    s3 = undefined;
    opened = undefined;
    vi.unstubAllEnvs();
  });

  it('takes the file, which a task of the session then reads', async () => {
    const before = kept().length;
    const form = await formFor(v2, session, { fileName: 'in/notes.txt' });
    expect(form).toMatchObject({ method: 'POST', fileName: 'in_notes.txt', expiresIn: 120 });
    expect(JSON.stringify(form)).not.toContain(testKey);
    expect(await sendForm(form, 'abc')).toMatchObject({ status: 200, body: { fileName: 'in_notes.txt', size: 3 } });
    expect(kept().length).toBe(before + 1);
    const task = await runTask('Read the file in_notes.txt', session);
    expect(task).toMatchObject({ output: 'abc', isSuccess: true, outputFiles: [] });
  });

  it('takes many bytes as they come', async () => {
    const bytes = randomBytes(5_000_000);
    const form = await formFor(v2, session, { fileName: 'p.png', contentType: 'image/png', sizeBytes: bytes.length });
    expect((await sendForm(form, bytes, 'image/png')).status).toBe(200);
    expect((await sendForm(form, bytes, 'image/png')).status).toBe(409);
  });

  it.each([
    { name: 'fewer bytes', bytes: 'ab' },
    { name: 'more bytes', bytes: 'abcd' },
    { name: 'no bytes', bytes: '' },
    { name: 'far more bytes than any file may have', bytes: 'x'.repeat(12_000_000) },
  ])('refuses $name, keeps nothing, and takes the right ones then', async ({ bytes }) => {
    const before = kept().length;
    const form = await formFor(v2, session);
    expect(await sendForm(form, bytes)).toMatchObject({
      status: 422,
      body: { detail: [{ loc: ['header', 'content-length'] }] },
    });
    expect(kept().length).toBe(before);
    expect(await listUnreferencedKeys(started.backend.db)).toEqual([]);
    expect((await sendForm(form, 'abc')).status).toBe(200);
  });

  it('takes one of two files that come at the same time', async () => {
    const before = kept().length;
    const form = await formFor(v2, session);
    const sent = await Promise.all(['abc', 'xyz'].map((text) => sendForm(form, text)));
    expect(sent.map(({ status }) => String(status)).toSorted()).toEqual(['200', '409']);
    const winner = sent[0]?.status === 200 ? 'abc' : 'xyz';
    expect(kept().length).toBe(before + 1);
    expect((await runTask('Read the file notes.txt', session))['output']).toBe(winner);
  });

  it('leaves nothing when its session is deleted, before it comes or while it comes', async () => {
    const [done, open, late] = await Promise.all(
      ['a.txt', 'b.txt', 'c.txt'].map((fileName) => formFor(v2, session, { fileName, sizeBytes: 1_000_000 })),
    );
    const screenshots = kept().length;
    expect((await sendForm(done as Form, 'x'.repeat(1_000_000))).status).toBe(200);
    const sender = await sendHalf(open as Form, 500_000);
    await vi.waitFor(async () => expect(await listUnreferencedKeys(started.backend.db)).toHaveLength(1), {
      timeout: 60_000,
    });
    expect((await v2.call('DELETE', `/sessions/${session}`)).status).toBe(204);
    expect(await finish(sender)).toBe(404);
    expect((await sendForm(late as Form, 'x'.repeat(1_000_000))).status).toBe(404);
    expect(await readRows()).toEqual([]);
    expect(await listUnreferencedKeys(started.backend.db)).toEqual([]);
    expect(kept().length).toBe(screenshots);
  });
});

describe('the fields of a form', () => {
  let session: string;

  beforeEach(async () => {
    await start();
    session = await newSession();
  });

  it.each(['key', 'Content-Type', 'expires', 'nonce', 'signature'])(
    'are signed: %s cannot be changed',
    async (name) => {
      const form = await formFor(v2, session);
      const others: Record<string, string> = { key: unknownId, 'Content-Type': 'text/html', expires: '9999999999999' };
      const fields = { ...form.fields, [name]: others[name] ?? `${form.fields[name]}x` };
      expect(await sendForm({ url: form.url, fields }, 'abc')).toMatchObject({
        status: 403,
        body: { detail: expect.stringContaining('fields') },
      });
      expect(await readRows()).toHaveLength(1);
      expect((await sendForm(form, 'abc')).status).toBe(200);
    },
  );

  it.each(['key', 'Content-Type', 'expires', 'nonce', 'signature'])('are all needed: %s', async (name) => {
    const { url, fields } = await formFor(v2, session);
    const { [name]: _gone, ...rest } = fields;
    const refused = await sendForm({ url, fields: rest }, 'abc');
    expect(refused).toMatchObject({
      status: 422,
      body: { detail: [{ loc: ['body'], msg: expect.stringContaining(name) }] },
    });
  });

  it('of one form do not open another', async () => {
    const [one, other] = await Promise.all(['a.txt', 'b.txt'].map((fileName) => formFor(v2, session, { fileName })));
    const fields = { ...one?.fields, key: String(other?.fields['key']) };
    expect((await sendForm({ url: String(one?.url), fields }, 'abc')).status).toBe(403);
  });

  it('open for 120 seconds', async () => {
    const [one, other] = await Promise.all(['a.txt', 'b.txt'].map((fileName) => formFor(v2, session, { fileName })));
    started.clock.advance(119_000);
    expect((await sendForm(one as Form, 'abc')).status).toBe(200);
    started.clock.advance(1_001);
    expect((await sendForm(other as Form, 'abc')).status).toBe(403);
  });

  it.each([
    { type: 'image/png', status: 422 },
    { type: 'text/csv', status: 422 },
    { type: 'text/plain', status: 200 },
    { type: 'application/octet-stream', status: 200 },
    { type: '', status: 200 },
  ])('a file that says it is $type is answered with $status', async ({ type, status }) => {
    expect((await sendForm(await formFor(v2, session), 'abc', type)).status).toBe(status);
  });

  it('come before the file', async () => {
    const { url, fields } = await formFor(v2, session);
    const form = new FormData();
    form.append('file', new Blob(['abc']), 'a.txt');
    for (const [name, value] of Object.entries(fields)) form.append(name, value);
    const response = await fetch(url, { method: 'POST', body: form });
    expect([response.status, await response.json()]).toMatchObject([
      422,
      { detail: [{ msg: expect.stringContaining('before the file') }] },
    ]);
  });

  it.each([
    { name: 'no form', body: 'abc', type: 'text/plain' },
    { name: 'JSON', body: '{}', type: 'application/json' },
    { name: 'a form without parts', body: '', type: 'multipart/form-data; boundary=x' },
    { name: 'a form without boundary', body: 'abc', type: 'multipart/form-data' },
    {
      name: 'a form that breaks off',
      body: '--x\r\ncontent-disposition: form-data; name="file"; filename="a"\r\n\r\nab',
      type: 'multipart/form-data; boundary=x',
    },
    {
      name: 'a form of very many fields',
      body: `${'--x\r\ncontent-disposition: form-data; name="a"\r\n\r\nb\r\n'.repeat(5_000)}--x--\r\n`,
      type: 'multipart/form-data; boundary=x',
    },
    {
      name: 'a field that is called as a prototype',
      body: '--x\r\ncontent-disposition: form-data; name="__proto__"\r\n\r\nb\r\n--x--\r\n',
      type: 'multipart/form-data; boundary=x',
    },
  ])('$name is refused with 422', async ({ body, type }) => {
    const response = await fetch(`${started.address}/upload-forms`, {
      method: 'POST',
      body,
      headers: { 'content-type': type },
    });
    expect([response.status, await response.json()]).toMatchObject([422, { detail: [{ loc: ['body'] }] }]);
  });

  it.each([
    {
      name: 'a second file',
      tail: 'content-disposition: form-data; name="more"; filename="b.txt"\r\n\r\nxyz\r\n--x--\r\n',
    },
    {
      name: 'a field with the name of a prototype',
      tail: 'content-disposition: form-data; name="__proto__"\r\n\r\nb\r\n--x--\r\n',
    },
    { name: 'no end', tail: 'content-disposition: form-data; name="a"\r\n\r\nb' },
  ])('are refused with $name behind the file, and the form takes its file afterwards', async ({ tail }) => {
    const form = await formFor(v2, session);
    const fields = Object.entries(form.fields).map(
      ([name, value]) => `--x\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
    );
    const file = '--x\r\ncontent-disposition: form-data; name="file"; filename="a.txt"\r\n\r\nabc\r\n';
    const headers = { 'content-type': 'multipart/form-data; boundary=x' };
    const body = `${fields.join('')}${file}--x\r\n${tail}`;
    const response = await fetch(form.url, { method: 'POST', body, headers });
    expect([response.status, await response.json()]).toMatchObject([422, { detail: [{ loc: ['body'] }] }]);
    expect((await listUnreferencedKeys(started.backend.db)).filter((key) => key.endsWith('.bin'))).toEqual([]);
    expect((await sendForm(form, 'abc')).status).toBe(200);
  });

  it('leave a multipart body of every other address what it was', async () => {
    const body = new FormData();
    body.append('a', 'b');
    const headers = { 'x-service-api-key': testKey };
    const response = await fetch(`${started.address}/api/v2/sessions`, { method: 'POST', body, headers });
    expect([response.status, await response.json()]).toMatchObject([422, { detail: [{ type: 'content_type' }] }]);
  });
});

describe('a request for a form', () => {
  beforeEach(() => start());

  it.each([
    { name: 'no name', body: { fileName: '' }, at: 'fileName' },
    { name: 'a name of 256', body: { fileName: 'x'.repeat(256) }, at: 'fileName' },
    { name: 'a name of which nothing is left', body: { fileName: '..' }, at: 'fileName' },
    { name: 'size 0', body: { sizeBytes: 0 }, at: 'sizeBytes' },
    { name: 'more than 10 MiB', body: { sizeBytes: 10_485_761 }, at: 'sizeBytes' },
    { name: 'a type that is not listed', body: { contentType: 'application/zip' }, at: 'contentType' },
  ])('is refused with 422 for $name', async ({ body, at }) => {
    const whole = { fileName: 'a.txt', contentType: 'text/plain', sizeBytes: 3, ...body };
    const refused = await v2.call('POST', `/files/sessions/${await newSession()}/presigned-url`, whole);
    expect(refused).toMatchObject({ status: 422, body: { detail: [{ loc: ['body', at] }] } });
  });

  it('takes 10 MiB and a name of 255', async () => {
    const form = await formFor(v2, await newSession(), { fileName: 'x'.repeat(255), sizeBytes: 10_485_760 });
    expect(form.fileName).toBe('x'.repeat(255));
  });

  it('is for a living session of its project and generation', async () => {
    const wanted = { fileName: 'a.txt', contentType: 'text/plain', sizeBytes: 3 };
    const session = await newSession();
    const other = createApiClient(started.address, otherKey, 'v2');
    const v3Session = (await createApiClient(started.address).call('POST', '/sessions', {})).body['id'];
    for (const [api, id] of [
      [v2, unknownId],
      [other, session],
      [v2, v3Session],
    ] as const) {
      const refused = await api.call('POST', `/files/sessions/${String(id)}/presigned-url`, wanted);
      expect(refused).toMatchObject({ status: 404, body: { detail: 'Session not found' } });
    }
    await v2.call('PATCH', `/sessions/${session}`, { action: 'stop' });
    expect((await v2.call('POST', `/files/sessions/${session}/presigned-url`, wanted)).status).toBe(400);
    expect(await started.backend.db.selectFrom('workspaces').select('id').execute()).toEqual([]);
  });
});

describe('the files of a task', () => {
  beforeEach(() => start());

  it('are shown with the task that made them, and can be read', async () => {
    const session = await newSession();
    await ready(session);
    const task = await runTask("Write 'hello' to the file out/report.txt", session);
    const [file] = task['outputFiles'] as JsonObject[];
    expect(task).toMatchObject({ output: 'Saved out/report.txt (5 bytes).', isSuccess: true });
    expect(file).toEqual({ id: expect.any(String), fileName: 'report.txt' });
    const path = `/files/tasks/${String(task['id'])}/output-files/${String(file?.['id'])}`;
    const { status, body } = await v2.call('GET', path);
    expect([status, Object.keys(body).toSorted()]).toEqual([200, ['downloadUrl', 'fileName', 'id']]);
    const download = await fetch(String(body['downloadUrl']));
    expect([download.headers.get('content-type'), await download.text()]).toEqual(['text/plain', 'hello']);
    const next = await runTask('Read the file out/report.txt', session);
    expect(next).toMatchObject({ output: 'hello', outputFiles: [] });
    const other = createApiClient(started.address, otherKey, 'v2');
    const of = (id: unknown, name: unknown): string => `/files/tasks/${String(id)}/output-files/${String(name)}`;
    expect(await other.call('GET', path)).toMatchObject({ status: 404, body: { detail: 'Task not found' } });
    for (const [taskId, fileId] of [
      [next['id'], file?.['id']],
      [task['id'], unknownId],
    ])
      expect(await v2.call('GET', of(taskId, fileId))).toMatchObject({
        status: 404,
        body: { detail: 'Output file not found' },
      });
  });

  it('go with the session, and live in no workspace that anybody sees', async () => {
    const session = await newSession();
    await ready(session);
    const task = await runTask("Write 'hello' to the file a.txt", session);
    const [file] = task['outputFiles'] as JsonObject[];
    const path = `/files/tasks/${String(task['id'])}/output-files/${String(file?.['id'])}`;
    const { downloadUrl } = (await v2.call('GET', path)).body;
    const v3 = createApiClient(started.address);
    expect((await v3.call('GET', '/workspaces')).body['totalItems']).toBe(0);
    const [row] = await started.backend.db.selectFrom('workspaces').selectAll().execute();
    expect(row?.ownerId).toBe(session);
    for (const version of ['v3', 'v4'] as const) {
      const api = createApiClient(started.address, testKey, version);
      expect((await api.call('GET', `/workspaces/${row?.id}`)).status).toBe(404);
      expect((await api.call('GET', `/workspaces/${row?.id}/files`)).status).toBe(404);
    }
    const before = blobsOnDisk();
    await v2.call('DELETE', `/sessions/${session}`);
    expect((await fetch(String(downloadUrl))).status).toBe(404);
    expect(await readRows()).toEqual([]);
    expect(before.filter((name) => !blobsOnDisk().includes(name))).toHaveLength(1);
  });

  it('outlive a restart', async () => {
    await started.stop();
    const dataFolder = mkdtempSync(join(tmpdir(), 'svc-files-'));
    await start({ dataFolder });
    const session = await newSession();
    await ready(session);
    await sendForm(await formFor(v2, session), 'abc');
    const task = await runTask('Read the file notes.txt and save it as copy.txt', session);
    await started.stop();
    await start({ dataFolder });
    const [file] = (await v2.call('GET', `/tasks/${String(task['id'])}`)).body['outputFiles'] as JsonObject[];
    const path = `/files/tasks/${String(task['id'])}/output-files/${String(file?.['id'])}`;
    const { downloadUrl } = (await v2.call('GET', path)).body;
    expect(await (await fetch(String(downloadUrl))).text()).toBe('abc');
    expect((await runTask('Read the file notes.txt', session))['output']).toBe('abc');
    rmSync(dataFolder, { recursive: true });
  });
});

function blobsOnDisk(): string[] {
  try {
    return blobNames(started);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return [];
    throw error;
  }
}

const boundary = 'the-boundary';

/** Sends all fields of a form and the first bytes of the file, and leaves the request open. */
async function sendHalf({ url, fields }: Form, bytes: number): Promise<ClientRequest> {
  const sender = request(url, {
    method: 'POST',
    headers: { 'content-type': `multipart/form-data; boundary=${boundary}` },
  });
  sender.on('error', () => undefined);
  for (const [name, value] of Object.entries(fields))
    sender.write(`--${boundary}\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`);
  sender.write(`--${boundary}\r\ncontent-disposition: form-data; name="file"; filename="a"\r\n\r\n`);
  sender.write('x'.repeat(bytes));
  return sender;
}

/** Sends the rest of the file; resolves to the status of the answer. */
async function finish(sender: ClientRequest): Promise<number | undefined> {
  const answered = once(sender, 'response');
  sender.end(`${'x'.repeat(500_000)}\r\n--${boundary}--\r\n`);
  const [response] = (await answered) as [IncomingMessage];
  response.resume();
  return response.statusCode;
}
