import { once } from 'node:events';
import { createServer } from 'node:http';

/** A web server on loopback whose URLs are downloads. */
export interface FileServer {
  /** `127.0.0.1:<port>`, as in URLs and allow lists. */
  readonly host: string;
  /** Returns the URL of a file download with this name and content. */
  file(name: string, content: string): string;
  /** URL of a PDF document without a download header. */
  readonly pdf: string;
  /** Returns the URL of a file download with this name and size in bytes. */
  sized(name: string, size: number): string;
  /**
   * Returns the URL of a file download that grows until the client disconnects. `size` is its Content-Length; without
   * `size` the response has none.
   */
  endless(name: string, size?: number): string;
  /** Returns the number of downloads of endless files in progress. */
  open(): number;
  /** Returns the number of requests for endless files since the start, or since the last call of `forget`. */
  seen(): number;
  forget(): void;
  close(): Promise<void>;
}

const piece = Buffer.alloc(65_536);

/** Starts a server of file downloads on a free loopback port. Any path without a file name returns an empty page. */
export async function serveFiles(): Promise<FileServer> {
  let [open, seen] = [0, 0];
  const server = createServer((request, response) => {
    const { pathname, searchParams: query } = new URL(request.url ?? '/', 'http://localhost');
    const name = query.get('name');
    if (pathname === '/paper.pdf')
      return response.writeHead(200, { 'content-type': 'application/pdf' }).end('%PDF-1.4\n%%EOF');
    if (name === null) return response.setHeader('content-type', 'text/html').end('<title>Files</title>');
    const head = { 'content-disposition': `attachment; filename*=UTF-8''${encodeURIComponent(name)}` };
    if (pathname === '/file') return response.writeHead(200, head).end(query.get('content'));
    const size = query.get('size');
    if (pathname === '/sized') return response.writeHead(200, head).end(Buffer.alloc(Number(size)));
    response.writeHead(200, size === null ? head : { ...head, 'content-length': size });
    open += 1;
    seen += 1;
    const more = setInterval(() => response.write(piece), 10);
    return response.once('close', () => {
      open -= 1;
      clearInterval(more);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new TypeError('The test server has no port.');
  const host = `127.0.0.1:${address.port}`;
  const at = (path: string, query: Record<string, string>): string =>
    `http://${host}${path}?${new URLSearchParams(query).toString()}`;
  return {
    host,
    file: (name, content) => at('/file', { name, content }),
    pdf: `http://${host}/paper.pdf`,
    sized: (name, size) => at('/sized', { name, size: String(size) }),
    endless: (name, size) => at('/endless', { name, ...(size === undefined ? {} : { size: String(size) }) }),
    open: () => open,
    seen: () => seen,
    forget: () => void (seen = 0),
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
