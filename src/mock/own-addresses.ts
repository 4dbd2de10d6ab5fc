import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { mock } from '#generated/rules.ts';
import type { JsonValue } from '#lib/json.ts';
import { problem, renderProblem } from '#contract/problems.ts';
import type { RuleBook } from '#contract/rule-book.ts';
import { mapTexts } from './shape/shape-answer.ts';
import { fileId } from './shape/uploads.ts';

/** Matches the beginning of the URLs in the examples of the documents: `svc.example`, with or without a subdomain. */
const exampleHost = /^(https|wss):\/\/(?:[a-z]+\.)?svc\.example(?=[/?]|$)/;

/**
 * Replaces the origin of the example URLs in a response by the mock's own origin. `host` is the Host header of the
 * request.
 */
export function toOwnAddresses(body: JsonValue, host: string): JsonValue {
  return mapTexts(body, (text) =>
    text.replace(exampleHost, (_whole, scheme: string) => `${scheme === 'wss' ? 'ws' : 'http'}://${host}`),
  );
}

/** Headers of downloads and screenshots. No script in them can run, and no cache stores them. */
const inert = { 'content-security-policy': "sandbox; default-src 'none'", 'cache-control': 'no-store' };

/** A transparent picture of one pixel. */
const picture = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==',
  'base64',
);

/**
 * Adds routes for the URLs that responses contain, such as uploads and downloads. These routes require no key. Uploads
 * are accepted and their bytes discarded. A download returns an example file.
 */
export function addOwnAddresses(app: FastifyInstance, rules: RuleBook): void {
  app.put<{ Params: { id: string } }>('/uploads/:id', async (request, reply) =>
    receive(request, reply, { rules, answer: (size) => ({ id: request.params.id, path: 'uploads/example', size }) }),
  );
  app.post('/upload-forms', async (request, reply) =>
    receive(request, reply, { rules, answer: (size) => ({ id: fileId, fileName: 'example', size }) }),
  );
  for (const path of ['/files/*', '/downloads/*', '/task-logs/*'])
    app.get(path, async (_request, reply) =>
      reply
        .headers({ ...inert, 'content-disposition': 'attachment; filename="example.txt"' })
        .type('text/plain; charset=utf-8')
        .send(mock.stateless.file),
    );
  app.get('/screenshots/*', async (_request, reply) => reply.headers(inert).type('image/png').send(picture));
  for (const path of ['/live/*', '/share/*'])
    app.get(path, async (_request, reply) => reply.type('text/plain; charset=utf-8').send(noBrowser));
}

const noBrowser = 'This mock has no browser to show. svc serve has one, and svc mock --stateful a simulated one.\n';

interface Receipt {
  readonly rules: RuleBook;
  /** Returns the response body for an upload of `size` bytes. */
  readonly answer: (size: number) => object;
}

async function receive(
  { body }: FastifyRequest,
  reply: FastifyReply,
  { rules, answer }: Receipt,
): Promise<FastifyReply> {
  const limit = mock.stateless.uploadBytesMax;
  let size = 0;
  if (body instanceof Readable)
    for await (const chunk of body) {
      size += Buffer.byteLength(chunk);
      if (size > limit) break;
    }
  if (size <= limit) return reply.send(answer(size));
  const refused = renderProblem(problem('body_too_large', { limit: String(limit) }), rules);
  return reply.header('connection', 'close').code(refused.status).send(refused.body);
}
