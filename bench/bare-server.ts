import { randomUUID } from 'node:crypto';
import { DatabaseSync } from 'node:sqlite';
import { type FastifyInstance, fastify } from 'fastify';
import { fork } from 'node:child_process';
import { join } from 'node:path';
import { nextMessage } from './run-program.ts';

/** Response bodies of a bare server. The bodies do not depend on the request. */
export interface BareAnswers {
  readonly get: unknown;
  readonly refusal: unknown;
  /**
   * Response body of a creation, and the path of the database file. The server inserts one row into this database
   * before it responds. @defaultValue creations are not supported
   */
  readonly creation?: { readonly answer: unknown; readonly database: string };
}

/**
 * Starts a server of Fastify, the framework of the service, without a backend. The server reads the body of each
 * request, and responds with one of the given bodies, whatever the request contains.
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

/** Adds a route that inserts one durable row: the least work of a creation that survives a power failure. */
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

/** Starts a bare server in a child process; rejects if the process ends before the server listens. */
export async function startBareProcess(answers: BareAnswers): Promise<Bare> {
  const child = fork(join(import.meta.dirname, 'bare-process.ts'));
  const told = nextMessage(child);
  child.send(answers);
  const address = String(await told);
  return { pid: child.pid ?? 0, address, stop: () => void child.kill() };
}
