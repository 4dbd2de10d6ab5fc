import { PassThrough } from 'node:stream';
import type { FastifyInstance, FastifyReply } from 'fastify';
import type { Clock } from '../clock/clock.ts';
import type { Engine } from '../engine/create-engine.ts';
import type { Blobs } from '../storage/blobs.ts';
import type { Database } from '../storage/database.ts';
import { livePage } from './live-page.ts';
import type { AddressSigner } from './signed-address.ts';

/** What the addresses without a key are made of. */
export interface PublicParts {
  readonly db: Database;
  readonly blobs: Blobs;
  readonly engine: Engine;
  readonly signer: AddressSigner;
  readonly clock: Clock;
}

const boundary = 'frame';

/** Addresses that carry their own right to be read: presigned screenshots and live views. */
export function addPublicRoutes(app: FastifyInstance, parts: PublicParts): void {
  app.get<{ Params: { key: string } }>('/screenshots/:key', (request, reply) =>
    sendScreenshot(parts, request.params.key, { url: request.url, reply }),
  );
  app.get<{ Params: { token: string } }>('/live/:token', async (request, reply) => {
    const session = await sessionOfToken(parts, request.params.token);
    if (session === null) return reply.code(404).send({ detail: 'Not Found' });
    return reply
      .header(
        'content-security-policy',
        "default-src 'none'; img-src 'self'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; frame-ancestors *",
      )
      .type('text/html; charset=utf-8')
      .send(livePage(`/live/${request.params.token}/frames`));
  });
  app.get<{ Params: { token: string } }>('/live/:token/frames', async (request, reply) => {
    const session = await sessionOfToken(parts, request.params.token);
    if (session === null) return reply.code(404).send({ detail: 'Not Found' });
    return sendFrames(parts, session.id, reply);
  });
}

async function sendScreenshot(
  parts: PublicParts,
  key: string,
  { url, reply }: { url: string; reply: FastifyReply },
): Promise<FastifyReply> {
  const query = new URLSearchParams(url.split('?')[1] ?? '');
  if (!parts.signer.opens(`/screenshots/${key}`, query, parts.clock.now())) {
    return reply.code(403).send({
      detail: 'This address has expired or was not made by this service: fetch the session again for a new one',
    });
  }
  const bytes = await parts.blobs.get(key);
  if (bytes === null) return reply.code(404).send({ detail: 'Not Found' });
  return reply.header('cache-control', 'private, no-store').type('image/jpeg').send(bytes);
}

async function sessionOfToken(parts: PublicParts, token: string): Promise<{ id: string } | null> {
  const row = await parts.db
    .selectFrom('sessions')
    .select('id')
    .where('live_token', '=', token)
    .where('deleted_at', 'is', null)
    .executeTakeFirst();
  return row ?? null;
}

async function sendFrames(parts: PublicParts, sessionId: string, reply: FastifyReply): Promise<FastifyReply> {
  const stream = new PassThrough();
  stream.write(`--${boundary}\r\n`);
  const view = await parts.engine.watch(sessionId, (frame) => {
    // A viewer that does not keep up misses frames; nobody else waits for it.
    if (stream.writableEnded || stream.writableNeedDrain) return;
    stream.write(`content-type: image/jpeg\r\ncontent-length: ${frame.length}\r\n\r\n`);
    stream.write(frame);
    // The boundary follows at once: a page shows a picture only when it knows that the picture is complete.
    stream.write(`\r\n--${boundary}\r\n`);
  });
  if (view === null) return reply.code(404).send({ detail: 'The browser is not running' });
  const warn = (error: unknown): void => reply.log.warn({ err: error }, 'a live view did not end cleanly');
  reply.raw.once('close', () => {
    stream.end();
    view.stop().catch(warn);
  });
  view.ended.then(() => stream.end()).catch(warn);
  return reply.header('cache-control', 'no-store').type(`multipart/x-mixed-replace; boundary=${boundary}`).send(stream);
}
