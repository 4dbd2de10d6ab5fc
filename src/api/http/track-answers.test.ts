import { fastify } from 'fastify';
import { expect, test } from 'vitest';
import { trackAnswers } from './track-answers.ts';

test('a server that closes answers first what it has begun, and does not wait for streams', async () => {
  const app = fastify({ forceCloseConnections: true });
  const { promise: held, resolve: letGo } = Promise.withResolvers<void>();
  const { promise: asked, resolve: isAsked } = Promise.withResolvers<void>();
  const { promise: closing, resolve: isClosing } = Promise.withResolvers<void>();
  const answers = trackAnswers();
  app.addHook('onRequest', (_request, { raw }, done) => answers.enter(raw, done));
  app.get('/held', async () => {
    isAsked();
    await held;
    return { done: true };
  });
  app.get('/stream', (_request, reply) => {
    reply.hijack();
    reply.raw.writeHead(200).write('begun');
  });
  app.addHook('preClose', async () => isClosing());
  app.addHook('preClose', () => answers.settled());
  const address = await app.listen({ port: 0, host: '127.0.0.1' });
  const stream = await fetch(`${address}/stream`);
  const answer = fetch(`${address}/held`).then((response) => response.json());
  await asked;
  const closed = app.close();
  await closing;
  // Still listening, and new requests are sent away: whoever was let in before is waited for.
  expect((await fetch(`${address}/held`)).status).toBe(503);
  letGo();
  expect(await answer).toEqual({ done: true });
  await closed;
  await expect(stream.text()).rejects.toThrow('terminated');
});
