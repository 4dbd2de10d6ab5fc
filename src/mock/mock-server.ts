import type { IncomingHttpHeaders } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { addDocumentRoutes } from '#api/http/documents/index.ts';
import type { Around } from '#api/http/hooks.ts';
import type { HttpServerDeps } from '#api/http/http-server-deps.ts';
import { createHttpServer } from '#api/http/http-server.ts';
import type { HttpReply } from '#contract/http-messages.ts';
import { whenResolved } from '#lib/maybe-promise.ts';
import { addLandingPage, type LandingPage } from './landing-page.ts';
import { addLogRoutes, type FindResponses } from './request-log/log-routes.ts';
import { createDefaultLog } from './request-log/watch-calls.ts';

/** The HTTP server of a mock. Tests send requests with Fastify's `inject`, without a network connection. */
export interface MockServer {
  readonly inject: FastifyInstance['inject'];
  /** Starts to listen and returns the URL, for example `http://127.0.0.1:4010`; port 0 selects a free port. */
  listen(port: number, host: string): Promise<string>;
  /** Closes all connections; resolves when the server has stopped. */
  close(): Promise<void>;
}

/** Dependencies of a mock's server. */
interface MockServerDeps extends Pick<HttpServerDeps, 'answer' | 'rules' | 'log'> {
  readonly apiKey: string;
  /** Returns the compiled validators of responses. @defaultValue they are compiled on first use */
  readonly findResponses?: FindResponses;
  /** The page at `/`. */
  readonly landing: LandingPage;
  /** Adds further routes. @defaultValue none */
  readonly extend?: (app: FastifyInstance) => void;
}

/**
 * Creates the HTTP server of a mock. The server also serves the OpenAPI documents, their reference page, the request
 * log and the start page. `beforeClose` is called before the server closes.
 */
export function createMockServer(deps: MockServerDeps, beforeClose: () => void): MockServer {
  const { answer, rules, log, apiKey, findResponses } = deps;
  const { calls, watch } = createDefaultLog(apiKey, findResponses);
  const app = createHttpServer({ answer: (request) => watch(request, answer), rules, log });
  allowEveryOrigin(app);
  addLogRoutes(app, calls, rules);
  addDocumentRoutes(app, () => app.listeningOrigin);
  addLandingPage(app, deps.landing);
  deps.extend?.(app);
  return {
    inject: app.inject.bind(app),
    listen: (port, host) => app.listen({ port, host }),
    async close() {
      beforeClose();
      await app.close();
    },
  };
}

/** Matches the paths of the request log and the console, which pages of other origins must not read. */
const ownPages = /^\/(log|console)(\/|$)/;

const methods = 'GET, HEAD, POST, PUT, PATCH, DELETE';
/** Lifetime of a CORS preflight response, in seconds. */
const keptSeconds = '600';

/**
 * Returns whether a request has an `Origin` header. Browsers send this header with cross-origin requests, to which
 * `allowEveryOrigin` applies.
 */
export function isCrossOriginPage({ headers }: { readonly headers: IncomingHttpHeaders }): boolean {
  return headers.origin !== undefined;
}

/**
 * Adds CORS headers, so that pages of every origin may send requests and read responses. Excludes the request log and
 * the console. A page cannot act for another user, because keys are in a header, not in a cookie.
 */
export function allowEveryOrigin(app: FastifyInstance): void {
  app.addHook('onRequest', async (request, reply) => {
    const [path = ''] = request.url.split('?', 1);
    if (!isCrossOriginPage(request) || ownPages.test(path)) return;
    reply.header('access-control-allow-origin', '*').header('access-control-expose-headers', '*');
    if (isPreflight(request)) await permit(request, reply);
  });
}

function isPreflight({ method, headers }: FastifyRequest): boolean {
  return method === 'OPTIONS' && headers['access-control-request-method'] !== undefined;
}

async function permit({ headers }: FastifyRequest, reply: FastifyReply): Promise<void> {
  const wanted = headers['access-control-request-headers'];
  reply.header('access-control-allow-methods', methods).header('access-control-max-age', keptSeconds);
  if (wanted !== undefined) reply.header('access-control-allow-headers', wanted);
  // Pages of other sites may send requests to a mock on this machine: that is the purpose of a mock.
  if (headers['access-control-request-private-network'] !== undefined)
    reply.header('access-control-allow-private-network', 'true');
  await reply.code(204).send();
}

/** Options of {@link delayResponses}. */
export interface DelayOptions {
  /** Smallest and largest delay in milliseconds, both included. */
  readonly latencyMs: readonly [min: number, max: number];
  readonly random: () => number;
  /**
   * Aborts when the mock closes. Delayed responses are then sent at once, because they would keep the process alive.
   */
  readonly signal: AbortSignal;
}

/** Creates a hook that delays every response. */
export function delayResponses({ latencyMs: [min, max], random, signal }: DelayOptions): Around {
  const after = async (ms: number, reply: HttpReply): Promise<HttpReply> => {
    await delay(ms, undefined, { signal }).catch((error: unknown) => {
      if (!signal.aborted) throw error;
    });
    return reply;
  };
  return (request, answer) =>
    whenResolved(answer(request), (reply) => {
      const ms = Math.round(min + random() * (max - min));
      return ms <= 0 || signal.aborted ? reply : after(ms, reply);
    });
}
