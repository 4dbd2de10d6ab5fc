import type { FastifyInstance } from 'fastify';
import { allowEveryOrigin } from './cors.ts';
import { addDocumentRoutes } from '#http/documents/index.ts';
import { type HttpServerParts, createHttpServer } from '#http/http-server.ts';

/** A mock that can be listened on, or asked in-process with fastify's `inject`. */
export interface MockServer {
  readonly inject: FastifyInstance['inject'];
  /** Listens and answers the address, for example `http://127.0.0.1:4010`; port 0 takes a free one. */
  listen(port: number, host: string): Promise<string>;
  /** Ends every connection; resolves when nothing is left. */
  close(): Promise<void>;
}

/** The HTTP side of the mock, with the documents and the reference beside; `beforeClose` is called first when it is told to close. */
export function createMockServer(parts: HttpServerParts, beforeClose: () => void): MockServer {
  const app = createHttpServer(parts);
  allowEveryOrigin(app);
  addDocumentRoutes(app);
  return {
    inject: app.inject.bind(app),
    listen: (port, host) => app.listen({ port, host }),
    async close() {
      beforeClose();
      await app.close();
    },
  };
}
