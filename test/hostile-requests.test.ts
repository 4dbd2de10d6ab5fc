import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createApiClient } from './support/api-client.ts';
import { type RawAnswer, sendRaw } from './support/raw-http.ts';
import { type StartedBackend, startBackend, testKey } from './support/start-backend.ts';
import { desk, makeWorkspace } from './support/workspace-client.ts';

const publicUrl = 'https://svc.example/base';

let started: StartedBackend;
beforeAll(async () => {
  started = await startBackend({ publicUrl });
});
afterAll(() => started.stop());

async function ask(line: string, headers: readonly string[] = [], body = ''): Promise<RawAnswer | null> {
  const sent = [line, ...headers, `X-Service-API-Key: ${testKey}`, 'Connection: close'];
  if (body !== '') sent.push('Content-Type: application/json', `Content-Length: ${body.length}`);
  const host = headers.some((header) => header.startsWith('Host:')) ? [] : ['Host: localhost'];
  return sendRaw(started.address, `${[...sent, ...host].join('\r\n')}\r\n\r\n${body}`);
}

describe('targets that are not what they seem', () => {
  it.each([
    { target: '/api/v4/runs', status: 200 },
    { target: '/api/v4/runs/', status: 422 },
    { target: '/api/v4/../v4/runs', status: 404 },
    { target: '/api/v4/./runs', status: 404 },
    { target: '/api/%2e%2e/api/v4/runs', status: 404 },
    { target: '/api%2fv4%2fruns', status: 404 },
    { target: '/api/v4%2fruns', status: 404 },
    { target: '/api//v4/runs', status: 404 },
    { target: '//api/v4/runs', status: 404 },
    { target: '/API/V4/RUNS', status: 404 },
    { target: '/api\\v4\\runs', status: 404 },
    { target: '/api/v4/runs;a=b', status: 404 },
    { target: '/api/v4/%72uns', status: 404 },
    { target: '/api/v4/%2572uns', status: 404 },
    { target: '/api/v4/runs/%00', status: 422 },
    { target: '/api/v4/runs/..%2f..%2fv3', status: 422 },
    { target: '/api/v4/runs/%252e%252e', status: 422 },
    { target: '/api/v4/runs/%zz', status: 422 },
    { target: '/api/v4/runs/%ff%fe', status: 422 },
    { target: 'http://evil.example/api/v4/runs', status: 404 },
    { target: '*', status: 404 },
    { target: '/files/..%2f..%2fsvc.sqlite', status: 403 },
    { target: '/files/%2e%2e%2fsvc.sqlite?expires=9999999999999&signature=', status: 403 },
    { target: '/screenshots/..%2fsigning-secret', status: 403 },
    { target: '/screenshots/%00', status: 403 },
    { target: '/recordings/..%5c..%5csvc.sqlite', status: 403 },
    { target: '/task-logs/%252e%252e%252fsvc.sqlite', status: 403 },
    { target: '/docs/../../../../etc/passwd', status: 404 },
    { target: '/docs/%2e%2e/svc.sqlite', status: 404 },
    { target: '/openapi/..%2fv4.json', status: 404 },
    { target: '//evil.example/%2f..', status: 404 },
    { target: '/live/..%2f..%2fapi%2fv4%2fruns', status: 404 },
    { target: '/share/%00', status: 404 },
    { target: '/devtools/browser/%2e%2e/json/version', status: 404 },
  ])('GET $target is answered with $status and leads nowhere', async ({ target, status }) => {
    const answer = await ask(`GET ${target} HTTP/1.1`);
    expect(answer?.status).toBe(status);
    expect(answer?.headers.has('location')).toBe(false);
    expect(answer?.body).not.toContain('evil.example');
  });

  it.each(['GET', 'POST', 'OPTIONS'])('%s * is answered like every unknown path', async (method) => {
    expect(await ask(`${method} * HTTP/1.1`)).toMatchObject({ status: 404, body: '{"detail":"Not Found"}' });
  });

  it('a tunnel is not opened', async () => {
    expect((await ask('CONNECT evil.example:443 HTTP/1.1'))?.status ?? null).not.toBe(200);
  });

  it('a method in a header changes nothing', async () => {
    const answer = await ask('GET /api/v4/runs HTTP/1.1', ['X-HTTP-Method-Override: POST', 'X-Method: POST']);
    expect(answer?.status).toBe(200);
  });

  it('a header of an answer cannot be written by a request', async () => {
    const answer = await ask('GET /api/v4/runs?cursor=%0d%0aSet-Cookie:%20a=b HTTP/1.1', ['X-Request-Id: evil <b>']);
    expect([...(answer?.headers.keys() ?? [])]).not.toContain('set-cookie');
    expect(answer?.headers.get('x-request-id')).not.toContain('evil');
  });
});

describe('addresses that are handed out', () => {
  const lies = [
    'Host: evil.example',
    'X-Forwarded-Host: evil.example',
    'X-Forwarded-Proto: http',
    'Forwarded: host=evil.example',
  ];

  it('begin with the public address, whatever the request says of the host', async () => {
    const made = await ask('POST /api/v4/browsers HTTP/1.1', lies, '{}');
    expect(made?.status).toBe(201);
    expect(made?.body).toContain(`"liveUrl":"${publicUrl}/live/`);
    expect(made?.body).toContain(`"cdpUrl":"${publicUrl.replace('http', 'ws')}/devtools/`);
    expect(made?.body).not.toContain('evil.example');
  });

  it.each(['/docs', '/openapi/v4.json', '/readyz', '/healthz', '/live/none', '/api/v4/none'])(
    '%s does not repeat the host of its request',
    async (path) => {
      const answer = await ask(`GET ${path} HTTP/1.1`, lies);
      expect(answer?.body).not.toContain('evil.example');
    },
  );
});

describe('signed addresses', () => {
  interface Signed {
    readonly file: URL;
    readonly otherFile: URL;
    readonly upload: URL;
  }

  /** Returns a public URL of the service in which the origin is replaced by the address that this test can reach. */
  const reached = (address: unknown): URL => new URL(String(address).replace(publicUrl, started.address));

  async function sign(): Promise<Signed> {
    const v4 = createApiClient(started.address, undefined, 'v4');
    const table = desk(v4, await makeWorkspace(v4));
    const [upload, file, otherFile] = [
      await table.reserve({ files: [{ name: 'new.txt', size: 3 }] }),
      'a.txt',
      'b.txt',
    ];
    for (const name of [file, otherFile]) {
      const [open] = await table.reserve({ files: [{ name, size: 3 }] });
      const headers = { 'content-type': 'application/octet-stream' };
      const sent = await fetch(reached(open?.['uploadUrl']), { method: 'PUT', headers, body: 'abc' });
      expect(sent.status).toBe(200);
    }
    const listed = await table.files('?includeUrls=true');
    const [first, second] = listed.map(({ url }) => reached(url));
    if (first === undefined || second === undefined) throw new Error(`found ${JSON.stringify(listed)}`);
    return { file: first, otherFile: second, upload: reached(upload[0]?.['uploadUrl']) };
  }

  const altered = (address: URL, change: (copy: URL) => void): URL => {
    const copy = new URL(address);
    change(copy);
    return copy;
  };

  it.each<{ name: string; from: (signed: Signed) => URL; method?: string; status: number }>([
    { name: 'as it is', from: ({ file }) => file, status: 200 },
    {
      name: 'for another object',
      from: ({ file, otherFile }) => altered(file, (to) => (to.pathname = otherFile.pathname)),
      status: 403,
    },
    {
      name: 'for another folder',
      from: ({ file }) => altered(file, (to) => (to.pathname = to.pathname.replace('/files/', '/downloads/'))),
      status: 403,
    },
    {
      name: 'of an upload, to read',
      from: ({ upload }) => altered(upload, (to) => (to.pathname = to.pathname.replace('/uploads/', '/files/'))),
      status: 403,
    },
    { name: 'of an upload, with GET', from: ({ upload }) => upload, status: 404 },
    { name: 'of a file, with PUT', from: ({ file }) => file, method: 'PUT', status: 404 },
    {
      name: 'of a file, turned into an upload',
      from: ({ file }) => altered(file, (to) => (to.pathname = to.pathname.replace('/files/', '/uploads/'))),
      method: 'PUT',
      status: 403,
    },
    { name: 'of a file, with DELETE', from: ({ file }) => file, method: 'DELETE', status: 404 },
    {
      name: 'that opens longer',
      from: ({ file }) => altered(file, (to) => to.searchParams.set('expires', '9999999999999')),
      status: 403,
    },
    {
      name: 'with another nonce',
      from: ({ file }) => altered(file, (to) => to.searchParams.set('nonce', 'x')),
      status: 403,
    },
    {
      name: 'without its signature',
      from: ({ file }) => altered(file, (to) => to.searchParams.delete('signature')),
      status: 403,
    },
    {
      name: 'with an empty signature',
      from: ({ file }) => altered(file, (to) => to.searchParams.set('signature', '')),
      status: 403,
    },
    {
      name: 'with a signature cut short',
      from: ({ file }) =>
        altered(file, (to) => to.searchParams.set('signature', String(to.searchParams.get('signature')).slice(0, 20))),
      status: 403,
    },
    {
      name: 'with an expiry put before its own',
      from: ({ file }) => altered(file, (to) => (to.search = `?expires=9999999999999&${to.search.slice(1)}`)),
      status: 403,
    },
  ])('$name: $status', async ({ from, method = 'GET', status }) => {
    const address = from(await sign());
    const sent = await fetch(address, { method, ...(method === 'PUT' ? { body: 'abc' } : {}) });
    expect(sent.status).toBe(status);
  });

  it('end with their time, to the millisecond', async () => {
    const { file } = await sign();
    const left = Number(file.searchParams.get('expires')) - started.clock.now();
    expect((await fetch(file)).status).toBe(200);
    started.clock.advance(left + 1);
    expect((await fetch(file)).status).toBe(403);
  });
});
