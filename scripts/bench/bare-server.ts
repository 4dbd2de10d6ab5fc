import { type FastifyInstance, fastify } from 'fastify';

/** The answers that a bare server gives, whatever is asked. */
export interface BareAnswers {
  readonly get: unknown;
  readonly refusal: unknown;
}

/** The same framework with nothing behind it: it reads the body, and answers the same bytes as ours does. */
export async function startBareServer(answers: BareAnswers): Promise<{ address: string; app: FastifyInstance }> {
  const app = fastify();
  app.get('/session', async () => answers.get);
  app.post('/refused', async (_request, reply) => reply.code(422).send(answers.refusal));
  return { address: await app.listen({ host: '127.0.0.1', port: 0 }), app };
}
