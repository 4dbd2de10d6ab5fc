import { fork } from 'node:child_process';
import { join } from 'node:path';
import type { Measured } from './measure.ts';
import { measure } from './measure.ts';

const calls = 200;
const rounds = 10;

/** GET of a session and a refused POST, each against the same framework with nothing behind it, in a process of its own. */
export async function benchRequests(address: string, key: string): Promise<Measured[]> {
  const headers = { 'x-service-api-key': key, 'content-type': 'application/json' };
  const sessions = `${address}/api/v3/sessions`;
  const post = (body: object): RequestInit => ({ method: 'POST', headers, body: JSON.stringify(body) });
  const refused = post({ task: 'x', model: 'minimax-m3', thinkingLevel: 'low' });
  const created: unknown = await answerOf(sessions, post({ keepAlive: true }), 200);
  const session = `${sessions}/${idOf(created)}`;
  const get = { headers: { 'x-service-api-key': key } };
  const bare = await startBare({
    get: await answerOf(session, get, 200),
    refusal: await answerOf(sessions, refused, 422),
  });
  try {
    return [
      await measure({
        name: 'GET of a session / bare server',
        subject: () => answerOf(session, get, 200),
        baseline: () => answerOf(`${bare.address}/session`, get, 200),
        calls,
        rounds,
      }),
      await measure({
        name: 'refused POST / bare server',
        subject: () => answerOf(sessions, refused, 422),
        baseline: () => answerOf(`${bare.address}/refused`, refused, 422),
        calls,
        rounds,
      }),
    ];
  } finally {
    bare.stop();
    await answerOf(`${session}/stop`, { ...get, method: 'POST' }, 200);
  }
}

/** The JSON body of an answer; throws when the status is another one, because then something else was measured. */
export async function answerOf(url: string, init: RequestInit, status: number): Promise<unknown> {
  const response = await fetch(url, init);
  const body: unknown = await response.json();
  if (response.status !== status) throw new Error(`${url}: expected ${status}, found ${response.status}`);
  return body;
}

/** The `id` member of an answer. */
export function idOf(body: unknown): string {
  if (typeof body === 'object' && body !== null && 'id' in body && typeof body.id === 'string') return body.id;
  throw new Error(`expected an answer with an id, found ${JSON.stringify(body)}`);
}

async function startBare(answers: object): Promise<{ address: string; stop: () => void }> {
  const child = fork(join(import.meta.dirname, 'bare-process.ts'));
  const address = await new Promise<string>((resolve, reject) => {
    child.once('message', (message: string) => resolve(message));
    child.once('exit', (code) => reject(new Error(`the bare server ended with ${code}`)));
    child.send(answers);
  });
  return { address, stop: () => void child.kill() };
}
