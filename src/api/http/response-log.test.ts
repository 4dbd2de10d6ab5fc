import { fastify } from 'fastify';
import { expect, test } from 'vitest';
import { trackAnswers } from './response-log.ts';
import { shownPath } from './request-scope.ts';

const token = 'yWZ3oT-4_kQ9xL2mB7vN1cR8sD5fG6hJ';
const encoded = Array.from(token, (letter) => `%${(letter.codePointAt(0) ?? 0).toString(16)}`).join('');
const uuid = '4b926e59-2704-408d-989e-7f4b6987de3a';

test.each([
  ['/api/v4/browsers?pageSize=2', '/api/v4/browsers'],
  [`/api/v4/browsers/${uuid}`, `/api/v4/browsers/${uuid}`],
  ['/screenshots/a.jpg?signature=secret', '/screenshots/a.jpg'],
  [`/screenshots/${uuid}.jpg?signature=secret`, `/screenshots/${uuid}.jpg`],
  ['/live/secret', '/live/…'],
  ['/share/secret', '/share/…'],
  ['/live/secret/frames', '/live/…/frames'],
  ['/devtools/browser/secret', '/devtools/browser/…'],
  ['/devtools/browser/secret/json/version?x', '/devtools/browser/…/json/version'],
  ['http://a.test/live/secret', '/live/…'],
  ['', ''],
  ['*', '*'],
  ['/%zz/%', '/%zz/%'],
])('logs %s as %s', (url, shown) => {
  expect(shownPath(url)).toBe(shown);
});

test.each([
  `/devtools/%62rowser/${token}/json/version`,
  `http://x/devtools/browser/${token}/json/version`,
  `HTTP://${token}@x/`,
  `/%6cive/${token}`,
  `/%256cive/${token}`,
  `http://x/live/${token}`,
  `//devtools/browser/${token}`,
  `/devtools//browser//${token}`,
  `/devtools/browser/a%2f/${token}`,
  `/Devtools/browser/${token}`,
  `/LIVE/${token}`,
  `/elsewhere/${token}.json`,
  `/devtools/browser/${token}%3fx`,
  `/devtools/browser;x/${token}`,
  `/live/${encoded}`,
  `/elsewhere/${encoded}`,
  `/elsewhere/${encoded.replaceAll('%', '%25')}`,
])('logs no token for the spelling %s', (url) => {
  const shown = shownPath(url);
  for (const spelling of [token, encoded]) expect(shown).not.toContain(spelling);
  expect(decodeURIComponent(shown)).not.toContain(token);
});

test('sends pending responses before it closes, without waiting for streams', async () => {
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
  // The server still listens and rejects new requests; it waits for the requests that it accepted before.
  expect((await fetch(`${address}/held`)).status).toBe(503);
  letGo();
  expect(await answer).toEqual({ done: true });
  await closed;
  await expect(stream.text()).rejects.toThrow('terminated');
});
