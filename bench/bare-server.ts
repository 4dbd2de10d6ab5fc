import { randomUUID } from 'node:crypto';
import { DatabaseSync } from 'node:sqlite';
import { type FastifyInstance, fastify } from 'fastify';

/** The answers that a bare server gives, whatever is asked. */
export interface BareAnswers {
  readonly get: unknown;
  readonly refusal: unknown;
  /** Answered once a row with it is on the disk. @defaultValue nothing can be created */
  readonly creation?: { readonly answer: unknown; readonly database: string };
}

/** The same framework with nothing behind it: it reads the body, and answers the same bytes as ours does. */
export async function startBareServer({
  get,
  refusal,
  creation,
}: BareAnswers): Promise<{ address: string; app: FastifyInstance }> {
  const app = fastify();
  app.get('/session', async () => get);
  app.post('/refused', async (_request, reply) => reply.code(422).send(refusal));
  if (creation !== undefined) addCreation(app, creation);
  return { address: await app.listen({ host: '127.0.0.1', port: 0 }), app };
}

/** One row, one wait for the disk: the least that a creation can be that survives a power cut. */
function addCreation(app: FastifyInstance, { answer, database }: { answer: unknown; database: string }): void {
  const db = new DatabaseSync(database);
  db.exec('pragma journal_mode = wal; pragma synchronous = full; create table things (id text primary key, data text)');
  const insert = db.prepare('insert into things values (?, ?)');
  app.post('/created', async ({ body }) => {
    insert.run(randomUUID(), JSON.stringify(body));
    return answer;
  });
  app.addHook('onClose', async () => db.close());
}
