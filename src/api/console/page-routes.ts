import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { consolePage, consoleScript, consoleStyle } from '#generated/console.ts';

/**
 * Content security policy of the page: resources of this server only, no inline scripts or styles, no framing by other
 * pages. Images may also have data and blob URLs.
 */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data: blob:",
  "media-src 'self'",
  "connect-src 'self'",
  "frame-src 'self'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
  "form-action 'self'",
].join('; ');

/** A static file of the console page, with the values of its headers Content-Type and ETag. */
interface Asset {
  readonly text: string;
  readonly type: string;
  readonly etag: string;
}

/**
 * Adds the routes of the console page, its script and its style, which require no login. The page requests all data
 * with the login of the user.
 */
export function addPageRoutes(app: FastifyInstance): void {
  app.get('/', async (request, reply) => {
    // For the target `*` the router selects the first route.
    if (request.url === '*') return reply.callNotFound();
    return reply.header('content-security-policy', policy).type('text/html; charset=utf-8').send(consolePage);
  });
  serve(app, '/console/console.js', createAsset(consoleScript, 'text/javascript; charset=utf-8'));
  serve(app, '/console/console.css', createAsset(consoleStyle, 'text/css; charset=utf-8'));
}

function createAsset(text: string, type: string): Asset {
  return { text, type, etag: `"${createHash('sha256').update(text).digest('base64url').slice(0, 22)}"` };
}

function serve(app: FastifyInstance, path: string, asset: Asset): void {
  let compressed: Promise<Buffer> | undefined;
  app.get(path, async (request, reply) => {
    reply.header('etag', asset.etag).header('cache-control', 'public, no-cache').header('vary', 'accept-encoding');
    if (request.headers['if-none-match'] === asset.etag) return reply.code(304).send();
    if (!takesGzip(request)) return send(reply, asset, asset.text);
    compressed ??= promisify(gzip)(asset.text);
    return send(reply.header('content-encoding', 'gzip'), asset, await compressed);
  });
}

function send(reply: FastifyReply, { type }: Asset, content: string | Buffer): FastifyReply {
  return reply.type(type).send(content);
}

function takesGzip({ headers }: FastifyRequest): boolean {
  return /\bgzip\b/.test(headers['accept-encoding'] ?? '');
}
