import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { mock } from '#generated/rules.ts';
import type { JsonValue } from '#lib/json.ts';
import { problem } from '#contract/problems.ts';
import type { RuleBook } from '#contract/rule-book.ts';
import { refuse } from '#api/http/refuse.ts';
import { mapTexts } from './shape/shape-answer.ts';
import { fileId } from './shape/uploads.ts';

/** Matches the origin of the URLs in the examples of the documents, with a subdomain or without. */
const exampleHost = /^(https|wss):\/\/(?:[a-z]+\.)?svc\.example(?=[/?]|$)/;

/** Replaces the origin of URLs in an example by the mock's own origin, which is the host of the request. */
export function toOwnAddresses(body: JsonValue, host: string): JsonValue {
  return mapTexts(body, (text) =>
    text.replace(exampleHost, (_whole, scheme: string) => `${scheme === 'wss' ? 'ws' : 'http'}://${host}`),
  );
}

/** Headers of example files and screenshots: no script in them can run, and no cache stores them. */
const inert = { 'content-security-policy': "sandbox; default-src 'none'", 'cache-control': 'no-store' };

/** A transparent picture of one pixel. */
const picture = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==',
  'base64',
);

/**
 * Serves the URLs that responses contain; no key is required. It accepts uploads and discards their bytes, and answers
 * downloads with an example.
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
  /** Returns the response body of an upload with `size` bytes. */
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
  const refused = refuse(problem('body_too_large', { limit: String(limit) }), rules);
  return reply.header('connection', 'close').code(refused.status).send(refused.body);
}
