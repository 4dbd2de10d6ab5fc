/*
 * Serves the OpenAPI documents as JSON, and one reference page over all of them. The HTTP servers of mock and backend
 * add its routes; `svc spec docs` writes the page to a file. The page is Scalar's, with settings that disable requests
 * to other hosts (reference-page.ts). The routes require no key. The content of the documents is defined in spec/, and
 * not here.
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
 * Adds the routes of the OpenAPI documents, of their reference page and of /healthz, which require no key. Each
 * document names this service as its server. `origin` returns the public URL of the service without a path.
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

/** Serves the script of the reference page, compressed to a quarter of its size for clients that accept gzip. */
async function sendScalar(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  guard(reply).type(javascript).header('cache-control', 'public, max-age=3600').header('vary', 'accept-encoding');
  if (!/\bgzip\b/.test(request.headers['accept-encoding'] ?? '')) return reply.send(await referenceScript());
  compressed ??= referenceScript().then((script) => promisify(gzip)(script));
  return reply.header('content-encoding', 'gzip').send(await compressed);
}

let compressed: Promise<Buffer> | undefined;
