import { randomUUID } from 'node:crypto';
import { DatabaseSync } from 'node:sqlite';
import { type FastifyInstance, fastify } from 'fastify';
import { fork } from 'node:child_process';
import { join } from 'node:path';
import { nextMessage } from './run-program.ts';

/** Answers of a bare server, independent of the request. */
export interface BareAnswers {
  readonly get: unknown;
  readonly refusal: unknown;
  /** Answer to a creation, sent after a row is durable. @defaultValue creations are not supported */
  readonly creation?: { readonly answer: unknown; readonly database: string };
}

/**
 * Starts a server of Fastify, the framework of the service, without a backend. The server reads the request body and
 * sends the same bytes as the service.
 */
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

/** Adds a route that inserts one durable row: the minimum of a creation that survives a power failure. */
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

/** A bare server in a child process. */
export interface Bare {
  readonly pid: number;
  readonly address: string;
  stop(): void;
}

/** Starts a bare server with its answers; rejects when it ends before it listens. */
export async function startBare(answers: BareAnswers): Promise<Bare> {
  const child = fork(join(import.meta.dirname, 'bare-process.ts'));
  const told = nextMessage(child);
  child.send(answers);
  const address = String(await told);
  return { pid: child.pid ?? 0, address, stop: () => void child.kill() };
}
