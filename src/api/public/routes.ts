import type { FastifyInstance, FastifyReply } from 'fastify';
import { type Problem, problem, renderProblem } from '#contract/problems.ts';
import type { RuleBook } from '#contract/rule-book.ts';
import type { Clock } from '#lib/clock/clock.ts';
import type { Blobs } from '#store/blobs.ts';
import type { Database } from '#store/database.ts';
import { taskLog } from './task-log.ts';
import type { AddressSigner } from '#lib/signed-url/signed-address.ts';

/** What the addresses without a key are made of. */
export interface PublicParts {
  readonly db: Database;
  readonly blobs: Blobs;
  readonly signer: AddressSigner;
  readonly clock: Clock;
  readonly rules: RuleBook;
}

/** Addresses that carry their own right to be read: presigned screenshots and task logs. */
export function addPublicRoutes(app: FastifyInstance, parts: PublicParts): void {
  app.get<{ Params: { key: string } }>('/screenshots/:key', (request, reply) =>
    sendScreenshot(parts, request.params.key, { url: request.url, reply }),
  );
  app.get<{ Params: { id: string } }>('/task-logs/:id', (request, reply) =>
    sendTaskLog(parts, request.params.id, { url: request.url, reply }),
  );
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
