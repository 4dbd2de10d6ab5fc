import type { FastifyInstance } from 'fastify';
import type { Patience } from '../storage/patience.ts';

/** Requests wait for a database that is away for `ms` milliseconds at most; what they have set going goes on when they are answered. */
export function waitWithPatience(app: FastifyInstance, patience: Patience, ms: number): void {
  app.addHook('onRequest', (_request, reply, done) => {
    let isAnswered = false;
    reply.raw.once('close', () => (isAnswered = true));
    patience.forAnswer(ms, () => isAnswered, done);
  });
}
