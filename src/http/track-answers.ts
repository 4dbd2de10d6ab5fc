import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import type { FastifyInstance } from 'fastify';

/** A caller that takes longer to send the rest of its request, or to read its answer, is cut off. */
const ANSWER_TIMEOUT_MS = 2_000;

/**
 * Follows the requests of a server. The returned function waits until each of them has its answer, so that a server that closes
 * cuts nobody off from what was done for him; streams that have begun are not waited for. It never rejects, and ends after 2 s.
 */
export function trackAnswers(app: FastifyInstance): () => Promise<void> {
  const open = new Set<ServerResponse>();
  app.addHook('onRequest', (_request, { raw }, done) => {
    open.add(raw);
    raw.once('close', () => open.delete(raw));
    done();
  });
  return async () => {
    const signal = AbortSignal.timeout(ANSWER_TIMEOUT_MS);
    const waiting = Array.from(open).filter(({ headersSent }) => !headersSent);
    // A wait that is rejected is one that took too long.
    await Promise.allSettled(waiting.map((response) => once(response, 'close', { signal })));
  };
}
