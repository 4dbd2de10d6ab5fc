import type { FastifyInstance } from 'fastify';
import { pino } from 'pino';
import { afterEach, describe, expect, it } from 'vitest';
import { routes } from '#api/server/bind.ts';
import { answerElsewhere } from '#api/server/process-hooks.ts';
import { DatabaseLocked, StorageFull } from '#store/storage-deadline.ts';
import { type RuleBook, defaultRules } from '#contract/rule-book.ts';
import { Unavailable } from '#lib/http.ts';
import { createHttpServer } from '#api/http/http-server.ts';
import type { HttpServerDeps } from '#api/http/http-server-deps.ts';
import { createVerify } from '#api/http/verify.ts';
import { type RawAnswer, openSocket, readAnswer, sendRaw } from './support/raw-http.ts';

/**
 * This file tests that every operation documents the refusals that happen outside the operation. Tests that send
 * requests verify the operation's own refusals: see `createVerify`.
 */

type Route = (typeof routes)[number];

let app: FastifyInstance;
afterEach(() => app.close());

async function start(changes: Partial<HttpServerDeps> = {}): Promise<string> {
  app = createHttpServer({
    rules: defaultRules,
    log: pino({ level: 'silent' }),
    answer: () => ({ status: 204, body: undefined }),
    straightBelow: '/api/',
    ...changes,
  });
  return app.listen({ host: '127.0.0.1', port: 0 });
}

const fillPath = (route: Route): string => route.path.replaceAll(/\{\w+\}/g, 'a');

const request = (route: Route, ...headers: string[]): string =>
  [`${route.method} ${fillPath(route)} HTTP/1.1`, ...headers, 'Connection: close', '', ''].join('\r\n');

/**
 * Sends one request to each operation. Returns the distinct statuses, and an error text for each response that the
 * OpenAPI document does not describe.
 */
async function refusals(send: (route: Route) => Promise<RawAnswer | null>): Promise<string[]> {
  const verify = createVerify(1);
  const told = await Promise.all(
    routes.map(async (route) => {
      const answer = await send(route);
      if (answer === null) return `${route.version} ${route.id}: no answer`;
      try {
        verify(route, {
          status: answer.status,
          body: JSON.parse(answer.body),
          headers: Object.fromEntries(answer.headers),
        });
        return String(answer.status);
      } catch (error) {
        return `${route.version} ${String(error)}`;
      }
    }),
  );
  return [...new Set(told)];
}

describe('every operation documents the refusal of', () => {
  it('a request without a host', async () => {
    const address = await start();
    expect(await refusals((route) => sendRaw(address, request(route)))).toEqual(['400']);
  });

  it('bytes that are no HTTP', async () => {
    const address = await start();
    expect(await refusals((route) => sendRaw(address, request(route, 'Host: x', ': y')))).toEqual(['400']);
  });

  it('headers that are too large', async () => {
    const address = await start();
    const large = `A: ${'a'.repeat(20_000)}`;
    expect(await refusals((route) => sendRaw(address, request(route, 'Host: x', large)))).toEqual(['431']);
  });

  it('headers that do not end in time', async () => {
    const address = await start({ rules: inTime(100) });
    const begun = (route: Route): string => request(route, 'Host: x').slice(0, -2);
    expect(await refusals((route) => sendRaw(address, begun(route)))).toEqual(['408']);
  });

  it('a connection too many of one address', async () => {
    const address = await start({ connectionsPerAddress: routes.length });
    const held = await Promise.all(routes.map(() => openSocket(address)));
    const said = await refusals((route) => sendRaw(address, request(route, 'Host: x')));
    for (const socket of held) socket.destroy();
    expect(said).toEqual(['429']);
  });

  it('a process that only runs browsers', async () => {
    const address = await start({ answer: ({ path }) => answerElsewhere(defaultRules, { path }) });
    expect(await refusals((route) => sendRaw(address, request(route, 'Host: x')))).toEqual(['421']);
  });

  it.each([
    { what: 'a failure of the service', error: new Error('a bug'), status: '500' },
    { what: 'a database that is away', error: new Unavailable('database_away', 'away'), status: '503' },
    { what: 'a database that is locked', error: new DatabaseLocked(null), status: '503' },
    { what: 'an owner that does not answer', error: new Unavailable('owner_silent', 'silent'), status: '503' },
    { what: 'a storage that is full', error: new StorageFull(null), status: '507' },
  ])('$what', async ({ error, status }) => {
    const answer = (): never => {
      throw error;
    };
    const address = await start({ answer });
    expect(await refusals((route) => sendRaw(address, request(route, 'Host: x')))).toEqual([status]);
  });
});

it('a request is answered where nothing refuses it', async () => {
  const address = await start();
  const [route] = routes;
  if (route === undefined) throw new Error('found no operation');
  const socket = await openSocket(address);
  socket.write(request(route, 'Host: x'));
  expect(await readAnswer(socket)).toMatchObject({ status: 204 });
});

/** Returns the default rules with a timeout for the headers of a request, in milliseconds. */
function inTime(ms: number): RuleBook {
  const limits = defaultRules.limits.limits.map((row) =>
    row.limit === 'requestHeadersTime' ? { ...row, value: ms } : row,
  );
  return { ...defaultRules, limits: { ...defaultRules.limits, limits } };
}
