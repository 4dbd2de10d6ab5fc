import type { FastifyInstance } from 'fastify';
import type { ReadReadiness } from '#platform/readiness.ts';

/** GET /readyz: 200 when everything works that sessions and browsers need; 503 when not, and while the service is being shut down. */
export function addReadyRoute(app: FastifyInstance, readiness: ReadReadiness): void {
  app.get('/readyz', async (_request, reply) => {
    const found = await readiness();
    return reply
      .header('cache-control', 'no-store')
      .code(found.status === 'ready' ? 200 : 503)
      .send(found);
  });
}
