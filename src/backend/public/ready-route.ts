import type { FastifyInstance } from 'fastify';
import type { BrowserHost } from '../browsers/host.ts';

/**
 * GET /readyz: 200 when browsers can be started, with what really holds them; 503 when they cannot. The first one asks the host
 * to find out, which starts a browser. Why it cannot stands in the log: an answer without a key names no paths.
 */
export function addReadyRoute(app: FastifyInstance, host: BrowserHost): void {
  app.get('/readyz', async (request, reply) => {
    reply.header('cache-control', 'no-store');
    try {
      return await reply.send({ status: 'ready', browsers: { kind: host.kind, ...(await host.inspect?.()) } });
    } catch (error) {
      request.log.warn({ err: error }, 'no browser can be started');
      return reply.code(503).send({ status: 'no browser can be started', browsers: { kind: host.kind } });
    }
  });
}
