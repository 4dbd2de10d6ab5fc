import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

/** What is for pages of the mock itself, and no other's to read. */
const own = /^\/(log|console)(\/|$)/;

const methods = 'GET, HEAD, POST, PUT, PATCH, DELETE';
/** So many seconds a page may go by what it was told. */
const keptSeconds = '600';

/** Whether `allowEveryOrigin` has anything to do with a request. */
export function isOfPage({ headers }: { readonly headers: IncomingHttpHeaders }): boolean {
  return headers.origin !== undefined;
}

/** Lets the scripts of pages of every origin ask, and read whole answers. Keys are headers, not cookies, so that no page acts for somebody else. */
export function allowEveryOrigin(app: FastifyInstance): void {
  app.addHook('onRequest', async (request, reply) => {
    const [path = ''] = request.url.split('?', 1);
    if (!isOfPage(request) || own.test(path)) return;
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
  // A page of another site may reach a mock on this machine: that is what a mock is for.
  if (headers['access-control-request-private-network'] !== undefined)
    reply.header('access-control-allow-private-network', 'true');
  await reply.code(204).send();
}
