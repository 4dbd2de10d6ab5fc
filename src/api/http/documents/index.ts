/*
 * The OpenAPI documents for people and tools: the JSON of each generation and one reference page over all of them.
 * Called by the HTTP servers of mock and backend, and by `svc spec docs`, which writes the page as a file.
 * The page is Scalar's, started with settings under which it asks no other host for anything (reference-page.ts).
 * Must not need a key, and must not decide anything: what the documents say is decided in spec/.
 */

import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import {
  absentPage,
  missingReference,
  referenceScript,
  servedPage,
  servedPolicy,
  startScript,
  documents,
} from './reference-page.ts';

export { standalonePage } from './reference-page.ts';

export { referenceScript } from './reference-page.ts';

/**
 * Publishes the OpenAPI documents and their reference page; no key is needed to read them. Each document names this service as its server:
 * `origin` returns its public URL without a path.
 */
export function addDocumentRoutes(app: FastifyInstance, origin: () => string): void {
  for (const [version, document] of Object.entries(documents)) {
    app.get(`/openapi/${version}.json`, async (_request, reply) =>
      reply.type('application/json').send({ ...document, servers: [{ url: `${origin()}/api/${version}` }] }),
    );
  }
  app.get('/docs', async (_request, reply) => {
    const missing = await missingReference();
    guard(reply).header('content-security-policy', servedPolicy).type('text/html; charset=utf-8');
    return reply.send(missing === null ? servedPage() : absentPage(missing));
  });
  app.get('/docs/start.js', async (_request, reply) => guard(reply).type(javascript).send(startScript));
  app.get('/docs/scalar.js', sendScalar);
  app.get('/healthz', async () => ({ status: 'ok' }));
}

const javascript = 'text/javascript; charset=utf-8';

function guard(reply: FastifyReply): FastifyReply {
  return reply.header('x-content-type-options', 'nosniff').header('referrer-policy', 'no-referrer');
}

/** A quarter of the size where the browser takes gzip, as all do. */
async function sendScalar(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  guard(reply).type(javascript).header('cache-control', 'public, max-age=3600').header('vary', 'accept-encoding');
  if (!/\bgzip\b/.test(request.headers['accept-encoding'] ?? '')) return reply.send(await referenceScript());
  compressed ??= referenceScript().then((script) => promisify(gzip)(script));
  return reply.header('content-encoding', 'gzip').send(await compressed);
}

let compressed: Promise<Buffer> | undefined;
