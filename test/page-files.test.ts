import { once } from 'node:events';
import { type IncomingMessage, type ServerResponse, createServer } from 'node:http';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '#lib/json.ts';
import { defaultRules } from '#contract/rule-book.ts';
import { type ApiClient, createApiClient } from './support/api-client.ts';
import { testKey } from './support/start-backend.ts';
import { type RealBackend, startRealBackend } from './support/start-real-backend.ts';
import { formFor, sendForm } from './support/upload-form.ts';
import { desk, makeWorkspace } from './support/workspace-client.ts';

const bytesMax = 100_000;
/** Timeout in milliseconds, longer than the agent waits for the begin of a download. */
const waitMs = 20_000;
/** The service's rules with a smaller limit for downloads. */
const rules = {
  ...defaultRules,
  limits: {
    ...defaultRules.limits,
    limits: defaultRules.limits.limits.map((row) =>
      row.limit === 'downloadBytes' ? { ...row, value: bytesMax } : row,
    ),
  },
} as typeof defaultRules;

let backend: RealBackend;
let v4: ApiClient;
let v2: ApiClient;
let origin: string;
let server: ReturnType<typeof createServer>;
/** Bodies of the forms that the page's server has received. */
const received: string[] = [];

const page = `<title>Files</title>
<form action="/take" method="post" enctype="multipart/form-data"><label>Resume <input type="file" name="cv"></label>
<label>Photo <input type="file" name="photo" style="display:none"></label><button>Send</button></form>
<a href="/report">Report</a> <a href="/same">Again</a> <a href="/large">Large</a> <a href="/endless">Endless</a>
<a href="/evil">Evil</a> <a download="data.csv" href="data:text/csv,x,y">Data</a> <a href="/broken">Broken</a>
<a href="/page">A page</a>`;

const attachments: Readonly<Record<string, { name: string; bytes: string }>> = {
  '/report': { name: 'report.csv', bytes: 'a,b\n1,2\n' },
  '/same': { name: 'report.csv', bytes: 'other' },
  '/large': { name: 'large.bin', bytes: 'x'.repeat(bytesMax + 1) },
  '/evil': { name: '../../etc/passwd', bytes: 'root' },
};

function answer(request: IncomingMessage, response: ServerResponse): void {
  const file = attachments[request.url ?? ''];
  const disposition = (name: string) => ({
    'content-type': 'application/octet-stream',
    'content-disposition': `attachment; filename="${name}"`,
  });
  if (file !== undefined) response.writeHead(200, disposition(file.name)).end(file.bytes);
  else if (request.url === '/endless') response.writeHead(200, disposition('endless.bin')).write('x');
  else if (request.url === '/broken')
    response.writeHead(200, { ...disposition('b.bin'), 'content-length': '9' }).write('x', () => response.destroy());
  else if (request.url === '/take') void take(request, response);
  else
    response
      .writeHead(200, { 'content-type': 'text/html' })
      .end(request.url === '/page' ? '<title>A page</title>' : page);
}

async function take(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(Buffer.from(piece as Uint8Array));
  received.push(Buffer.concat(pieces).toString('latin1'));
  response.writeHead(200, { 'content-type': 'text/html' }).end('<title>Taken</title><h1>Thank you</h1>');
}

beforeAll(async () => {
  server = createServer(answer).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new TypeError('The server has no port.');
  origin = `http://127.0.0.1:${address.port}`;
  backend = await startRealBackend({ allow: [`127.0.0.1:${address.port}`], rules });
  v4 = backend.v4;
  v2 = createApiClient(backend.address, testKey, 'v2');
});
afterAll(async () => {
  await backend.stop();
  server.closeAllConnections();
  server.close();
});
afterEach(() => void received.splice(0));

/** Runs a task in a workspace to its end; returns its result. */
async function ran(task: string, workspaceId: string): Promise<unknown> {
  const created = await v4.call('POST', '/runs', { task, workspaceId });
  const run = await v4.until(
    String(created.body['id']),
    ({ status }) => status === 'completed' || status === 'failed',
    waitMs,
  );
  await v4.call('DELETE', `/sessions/${String(created.body['sessionId'])}`);
  return run['result'];
}

const fetchContent = async (workspaceId: string, path: string): Promise<string> => {
  const [file] = await desk(v4, workspaceId).files(`?includeUrls=true&prefix=${encodeURIComponent(path)}`);
  return (await fetch(String(file?.['url']))).text();
};

describe('a file of the workspace', () => {
  it('is put into a file input of the page, and the page sends it', async () => {
    const workspaceId = await makeWorkspace(v4);
    await desk(v4, workspaceId).store('cv.txt', 'my life');
    const result = await ran(
      `Open ${origin}/, upload the file cv.txt into 'Resume', click Send and list the headings`,
      workspaceId,
    );
    expect(result).toBe('Thank you\nPut the file uploads/cv.txt into "Resume".');
    expect(received[0]).toContain('name="cv"; filename="cv.txt"');
    expect(received[0]).toContain('my life');
  });

  it('is put into an input that the page hides, found by its name', async () => {
    const workspaceId = await makeWorkspace(v4);
    await desk(v4, workspaceId).store('me.png', 'pixels');
    await ran(`Open ${origin}/, upload the file me.png into photo and click Send`, workspaceId);
    expect(received[0]).toContain('name="photo"; filename="me.png"');
  });

  it.each([
    {
      task: 'upload the file cv.txt',
      reason: 'Could not put the file into the page: the page has 2 file inputs: name one of them.',
    },
    { task: 'upload the file gone.txt into Resume', reason: 'There is no file gone.txt.' },
  ])('$task: $reason', async ({ task, reason }) => {
    const workspaceId = await makeWorkspace(v4);
    await desk(v4, workspaceId).store('cv.txt', 'my life');
    expect(await ran(`Open ${origin}/ and ${task}`, workspaceId)).toBe(reason);
  });
});

describe('what a page downloads', () => {
  it('is kept in the folder downloads, and never replaces a file', async () => {
    const workspaceId = await makeWorkspace(v4);
    const result = await ran(
      `Open ${origin}/, download 'Report', download 'Again', download 'Data' and list the files`,
      workspaceId,
    );
    const paths = ['downloads/data.csv', 'downloads/report (1).csv', 'downloads/report.csv'];
    expect(String(result).split('\n').slice(0, 3)).toEqual(paths);
    expect(result).toContain('Downloaded downloads/report.csv (8 bytes).');
    expect(await desk(v4, workspaceId).paths()).toEqual(paths);
    expect(await fetchContent(workspaceId, 'downloads/report.csv')).toBe('a,b\n1,2\n');
    expect(await fetchContent(workspaceId, 'downloads/report (1).csv')).toBe('other');
    expect(await ran('Read the file report.csv', workspaceId)).toBe('a,b\n1,2\n');
  });

  it('is stored for every starter, and its name cannot leave the folder', async () => {
    const workspaceId = await makeWorkspace(v4);
    expect(await ran(`Open ${origin}/ and click 'Evil'`, workspaceId)).toContain('Done.');
    const [path] = await desk(v4, workspaceId).paths();
    expect(path).toMatch(/^downloads\/[^/]+$/);
    expect(await fetchContent(workspaceId, String(path))).toBe('root');
  });

  it.each([
    { link: 'Large', reason: `files of ${bytesMax} bytes` },
    { link: 'Broken', reason: 'it broke off' },
  ])('$link is not kept: $reason', async ({ link, reason }) => {
    const workspaceId = await makeWorkspace(v4);
    expect(await ran(`Open ${origin}/ and download '${link}'`, workspaceId)).toContain(reason);
    expect(await desk(v4, workspaceId).paths()).toEqual([]);
  });

  it('and is no download is not claimed', async () => {
    const workspaceId = await makeWorkspace(v4);
    expect(await ran(`Open ${origin}/ and download 'A page'`, workspaceId)).toBe(
      'Could not download "A page": no download began.',
    );
  });

  it('has to have a workspace', async () => {
    const v3 = createApiClient(backend.address);
    const { body } = await v3.call('POST', '/sessions', { task: `Open ${origin}/ and download 'Report'` });
    const session = await v3.until(String(body['id']), ({ status }) => status === 'stopped');
    expect(session['output']).toBe('This session has no workspace, so there are no files.');
  });

  it('is given up with a task that is stopped', async () => {
    const workspaceId = await makeWorkspace(v4);
    const created = await v4.call('POST', '/runs', { task: `Open ${origin}/ and download 'Endless'`, workspaceId });
    const id = String(created.body['id']);
    const stepped = async (): Promise<boolean> => {
      const { body } = await v4.call('GET', `/runs/${id}/events`);
      return (body['events'] as JsonObject[]).some(({ type }) => type === 'agent.step');
    };
    await v4.until(id, ({ status }) => status === 'running');
    await expect.poll(stepped, { interval: 20 }).toBe(true);
    const cancelled = await v4.call('POST', `/runs/${id}/cancel`);
    expect(cancelled.body['status']).toBe('cancelled');
    expect(await desk(v4, workspaceId).paths()).toEqual([]);
  });

  it('is an output file of a V2 task, like what its agent writes', async () => {
    const session = String((await v2.call('POST', '/sessions', {})).body['id']);
    await sendForm(await formFor(v2, session), 'abc');
    const task = `Read the file notes.txt, save it as copy.txt, open ${origin}/ and download 'Report'`;
    let created = await v2.call('POST', '/tasks', { task, sessionId: session });
    const finished = await v2.until(String(created.body['id']), ({ status }) => status === 'finished');
    expect(finished).toMatchObject({ isSuccess: true });
    const files = finished['outputFiles'] as JsonObject[];
    expect(files.map(({ fileName }) => fileName)).toEqual(['copy.txt', 'report.csv']);
    created = await v2.call('GET', `/files/tasks/${String(finished['id'])}/output-files/${String(files[1]?.['id'])}`);
    expect(await (await fetch(String(created.body['downloadUrl']))).text()).toBe('a,b\n1,2\n');
    await v2.call('DELETE', `/sessions/${session}`);
  });
});
