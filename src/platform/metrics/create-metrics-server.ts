import { type FastifyInstance, fastify } from 'fastify';
import type { Metrics } from './create-metrics.ts';

/** The address that Prometheus asks: GET /metrics. It has no key, and belongs where only Prometheus reaches it. */
export function createMetricsServer(metrics: Pick<Metrics, 'read'>): FastifyInstance {
  const app = fastify({ forceCloseConnections: true });
  app.get('/metrics', async (_request, reply) => {
    const { text, contentType } = await metrics.read();
    return reply.type(contentType).header('cache-control', 'no-store').send(text);
  });
  return app;
}
