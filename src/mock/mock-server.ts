import type { FastifyInstance } from 'fastify';
import { addDocumentRoutes } from '#api/http/documents/index.ts';
import { createHttpServer } from '#api/http/http-server.ts';
import type { HttpServerParts } from '#api/http/http-server-parts.ts';
import { allowEveryOrigin } from './cors.ts';
import { type LandingPage, addLandingPage } from './landing-page.ts';
import { type ResponsesOf, addLogRoutes, createUsualLog } from './request-log/index.ts';

/** A mock that can be listened on, or asked in-process with fastify's `inject`. */
export interface MockServer {
  readonly inject: FastifyInstance['inject'];
  /** Listens and answers the address, for example `http://127.0.0.1:4010`; port 0 takes a free one. */
  listen(port: number, host: string): Promise<string>;
  /** Ends every connection; resolves when nothing is left. */
  close(): Promise<void>;
}

/** What a mock's server is made of. */
interface MockServerParts extends Pick<HttpServerParts, 'answer' | 'rules' | 'log'> {
  readonly apiKey: string;
  /** What answers have to look like, where it is compiled already. @defaultValue it is compiled when it is needed */
  readonly responsesOf?: ResponsesOf;
  /** The page at `/`. */
  readonly landing: LandingPage;
  /** Adds routes of its own. @defaultValue none */
  readonly extend?: (app: FastifyInstance) => void;
}

/**
 * The HTTP side of a mock, with the documents, the reference and the request log beside; `beforeClose` is called first when it is told to
 * close.
 */
export function createMockServer(parts: MockServerParts, beforeClose: () => void): MockServer {
  const { answer, rules, log, apiKey, responsesOf } = parts;
  const { calls, watch } = createUsualLog(apiKey, responsesOf);
  const app = createHttpServer({ answer: (request) => watch(request, answer), rules, log });
  allowEveryOrigin(app);
  addLogRoutes(app, calls, rules);
  addDocumentRoutes(app, () => app.listeningOrigin);
  addLandingPage(app, parts.landing);
  parts.extend?.(app);
  return {
    inject: app.inject.bind(app),
    listen: (port, host) => app.listen({ port, host }),
    async close() {
      beforeClose();
      await app.close();
    },
  };
}
