import { PassThrough } from 'node:stream';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { type Problem, problem, renderProblem } from '#domain/problems.ts';
import type { RuleBook } from '#domain/rule-book.ts';
import type { Clock } from '../clock/clock.ts';
import type { Engine, View } from '../engine/create-engine.ts';
import type { StandaloneBrowsers } from '../standalone/index.ts';
import { browserByToken } from '../storage/browsers.ts';
import type { Blobs } from '../storage/blobs.ts';
import type { Database } from '../storage/database.ts';
import { livePage } from './live-page.ts';
import { taskLog } from './task-log.ts';
import type { AddressSigner } from './signed-address.ts';

/** What the addresses without a key are made of. */
export interface PublicParts {
  readonly db: Database;
  readonly blobs: Blobs;
  readonly engine: Engine;
  readonly browsers: StandaloneBrowsers;
  readonly signer: AddressSigner;
  readonly clock: Clock;
  readonly rules: RuleBook;
}

const reconnectMs = 1000;

/** Addresses that carry their own right to be read: presigned screenshots and task logs, and live views. */
export function addPublicRoutes(app: FastifyInstance, parts: PublicParts): void {
  app.get<{ Params: { key: string } }>('/screenshots/:key', (request, reply) =>
    sendScreenshot(parts, request.params.key, { url: request.url, reply }),
  );
  app.get<{ Params: { id: string } }>('/task-logs/:id', (request, reply) =>
    sendTaskLog(parts, request.params.id, { url: request.url, reply }),
  );
  app.get<{ Params: { token: string } }>('/live/:token', async (request, reply) => {
    const watch = await watchOfToken(parts, request.params.token);
    if (watch === null) return refuse(reply, problem('route_not_found', {}), parts);
    return reply
      .header(
        'content-security-policy',
        "default-src 'none'; img-src data:; connect-src 'self'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; frame-ancestors *",
      )
      .type('text/html; charset=utf-8')
      .send(livePage(`/live/${request.params.token}/frames`));
  });
  app.get<{ Params: { token: string } }>('/live/:token/frames', async (request, reply) => {
    const watch = await watchOfToken(parts, request.params.token);
    return watch === null ? refuse(reply, problem('route_not_found', {}), parts) : sendFrames(watch, reply);
  });
}

function refuse(reply: FastifyReply, found: Problem, { rules }: PublicParts): FastifyReply {
  const { status, body } = renderProblem(found, rules);
  return reply.code(status).send(body);
}

async function sendScreenshot(
  parts: PublicParts,
  key: string,
  { url, reply }: { url: string; reply: FastifyReply },
): Promise<FastifyReply> {
  if (!isOpen(parts, `/screenshots/${key}`, url)) return refuse(reply, problem('address_expired', {}), parts);
  const bytes = await parts.blobs.get(key);
  if (bytes === null) return refuse(reply, problem('route_not_found', {}), parts);
  return reply.header('cache-control', 'private, no-store').type('image/jpeg').send(bytes);
}

/** Whether the address of a request was signed for that path and has not expired. */
function isOpen({ signer, clock }: PublicParts, path: string, url: string): boolean {
  return signer.opens(path, new URLSearchParams(url.split('?')[1] ?? ''), clock.now());
}

async function sendTaskLog(
  parts: PublicParts,
  id: string,
  { url, reply }: { url: string; reply: FastifyReply },
): Promise<FastifyReply> {
  if (!isOpen(parts, `/task-logs/${id}`, url)) return refuse(reply, problem('address_expired', {}), parts);
  const log = await taskLog(parts, id);
  if (log === null) return refuse(reply, problem('route_not_found', {}), parts);
  return reply.header('cache-control', 'private, no-store').type('text/plain; charset=utf-8').send(log);
}

type Watch = (viewer: (frame: Uint8Array) => void) => Promise<View | null>;

/** How to watch what a live token stands for: the browser of a session, or a standalone one. Null for an unknown token. */
async function watchOfToken({ db, engine, browsers }: PublicParts, token: string): Promise<Watch | null> {
  const session = await db
    .selectFrom('sessions')
    .select('id')
    .where('live_token', '=', token)
    .where('deleted_at', 'is', null)
    .executeTakeFirst();
  if (session !== undefined) return (viewer) => engine.watch(session.id, viewer);
  const browser = await browserByToken(db, 'live_token', token);
  return browser === null ? null : (viewer) => browsers.watch(browser.id, viewer);
}

/** Frames as server-sent events, which a page reads without a library and which reconnect by themselves. */
async function sendFrames(watch: Watch, reply: FastifyReply): Promise<FastifyReply> {
  const stream = new PassThrough();
  const send = (event: string, data: string): void => {
    // A viewer that does not keep up misses frames; nobody else waits for it.
    if (!stream.writableEnded && !stream.writableNeedDrain) stream.write(`event: ${event}\ndata: ${data}\n\n`);
  };
  stream.write(`retry: ${reconnectMs}\n\n`);
  const view = await watch((frame) => send('frame', Buffer.from(frame).toString('base64')));
  const finish = (): void => {
    stream.end('event: gone\ndata: the browser is not running\n\n');
  };
  if (view === null) finish();
  else followView(view, { finish, reply, stream });
  return reply.header('cache-control', 'no-store').type('text/event-stream').send(stream);
}

interface Viewer {
  readonly finish: () => void;
  readonly reply: FastifyReply;
  readonly stream: PassThrough;
}

function followView(view: View, { finish, reply, stream }: Viewer): void {
  const warn = (error: unknown): void => reply.log.warn({ err: error }, 'a live view did not end cleanly');
  const leave = (): void => {
    stream.destroy();
    view.stop().catch(warn);
  };
  // A viewer can be gone before the browser has been asked for frames.
  if (reply.raw.destroyed) leave();
  else reply.raw.once('close', leave);
  view.ended.then(finish).catch(warn);
}
