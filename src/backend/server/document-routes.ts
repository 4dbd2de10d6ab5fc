import type { FastifyInstance } from 'fastify';
import v3Document from '#generated/openapi/v3.json' with { type: 'json' };

/** Publishes the description of what this service answers, for people and tools; no key is needed to read it. */
export function addDocumentRoutes(app: FastifyInstance): void {
  app.get('/openapi/v3.json', async (_request, reply) => reply.type('application/json').send(v3Document));
  app.get('/healthz', async () => ({ status: 'ok' }));
}
