import type { FastifyInstance } from 'fastify';
import { problem } from '#contract/problems.ts';
import type { RuleBook } from '#contract/rule-book.ts';
import { isFromThisMachine } from '../http/connections/index.ts';
import { refuse } from '../http/refuse.ts';

/** Answers to programs of this machine alone: not to others, and not to a page that somebody happens to have open. */
export function guardControl(app: FastifyInstance, rules: RuleBook): void {
  app.addHook('onRequest', async (request, reply) => {
    if (isFromThisMachine(request.raw)) return;
    const { status, body } = refuse(problem('loopback_only', {}), rules);
    await reply.code(status).send(body);
  });
}
