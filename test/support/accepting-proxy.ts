import { type IncomingHttpHeaders, type IncomingMessage, type ServerResponse, createServer } from 'node:http';
import { testKey } from './start-backend.ts';

/**
 * A proxy in front of a service through which every creation at the paths in `bodies` succeeds. If the service answers
 * a creation with an error other than 429, the proxy sends the body of `bodies` with the test's key instead.
 */
export interface AcceptingProxy {
  readonly address: string;
  /** Returns the number of records that the proxy has created for rejected requests. */
  accepted(): number;
  close(): Promise<void>;
}

const task = { task: 'svc-test: slow 300' };

/** For each path of a creation, the body that the proxy sends after an error. */
const bodies: Readonly<Record<string, object>> = {
  '/api/v2/tasks': task,
  '/api/v2/sessions': {},
  '/api/v3/sessions': task,
  '/api/v4/runs': task,
  '/api/v4/browsers': {},
  '/api/v2/profiles': {},
  '/api/v3/profiles': {},
  '/api/v4/profiles': {},
  '/api/v3/workspaces': {},
  '/api/v4/workspaces': {},
};

/** Starts a proxy in front of the service at a URL. */
export async function startAcceptingProxy(service: string): Promise<AcceptingProxy> {
  let accepted = 0;
  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(Buffer.from(chunk));
    const { method = 'GET', url = '/' } = request;
    const body = Buffer.concat(chunks);
    const ask = (headers: Record<string, string>, content: Buffer | string): Promise<Response> =>
      fetch(new URL(url, service), {
        method,
        headers,
        body: content.length === 0 ? null : new Uint8Array(Buffer.from(content)),
      });
    let answer = await ask(plain(request.headers), body);
    const instead = bodies[url.split('?')[0] ?? ''];
    if (method === 'POST' && instead !== undefined && answer.status >= 400 && answer.status !== 429) {
      await answer.arrayBuffer();
      answer = await ask({ 'x-service-api-key': testKey, 'content-type': 'application/json' }, JSON.stringify(instead));
      accepted += answer.ok ? 1 : 0;
    }
    const type = answer.headers.get('content-type');
    response.writeHead(answer.status, type === null ? {} : { 'content-type': type });
    const content = Buffer.from(await answer.arrayBuffer());
    response.end(content);
  }

  const server = createServer((request, response) => void serve(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('expected a port');
  return {
    address: `http://127.0.0.1:${address.port}`,
    accepted: () => accepted,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

const hopHeaders = ['host', 'connection', 'content-length', 'transfer-encoding', 'keep-alive'];

function plain(headers: IncomingHttpHeaders): Record<string, string> {
  const own = Object.entries(headers).filter(([name]) => !hopHeaders.includes(name));
  return Object.fromEntries(own.map(([name, value]) => [name, String(value)]));
}
