import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { problem } from '#contract/problems.ts';
import type { RuleBook } from '#contract/rule-book.ts';
import type { Clock } from '#lib/clock.ts';
import type { UrlSigner } from '#lib/signed-url.ts';
import type { Recordings } from '#sessions/recordings/index.ts';
import type { ByteRange } from '#store/blobs/blobs.ts';
import { sendProblem } from '../http/refuse.ts';
import { isSigned } from './routes.ts';

/** Dependencies of the recording route. */
export interface RecordingRouteDeps {
  readonly recordings: Pick<Recordings, 'find' | 'read'>;
  readonly signer: UrlSigner;
  readonly clock: Clock;
  readonly rules: RuleBook;
}

type RecordingRequest = FastifyRequest<{ Params: { id: string } }>;

/** Headers of a recording. Any site may play it by its URL, and nothing in it runs as a script of this origin. */
const headers = {
  'content-type': 'video/webm',
  'accept-ranges': 'bytes',
  'x-content-type-options': 'nosniff',
  'content-security-policy': "sandbox; default-src 'none'; media-src 'self'",
  'cache-control': 'private, no-store',
};

/**
 * Adds the route of presigned recording URLs: it returns the video, or the byte range that a player requests. It
 * requires no key.
 */
export function addRecordingRoute(app: FastifyInstance, deps: RecordingRouteDeps): void {
  app.get<{ Params: { id: string } }>('/recordings/:id', (request, reply) => send(deps, request, reply));
}

async function send(deps: RecordingRouteDeps, request: RecordingRequest, reply: FastifyReply): Promise<FastifyReply> {
  const { recordings, rules } = deps;
  const { id } = request.params;
  if (!isSigned(deps, `/recordings/${id}`, request)) return sendProblem(reply, problem('address_expired', {}), rules);
  const found = await recordings.find(id);
  if (found === null) return sendProblem(reply, problem('route_not_found', {}), rules);
  const range = byteRange(request.headers.range, found.size);
  if (range === 'unsatisfiable')
    return reply
      .code(416)
      .headers({ ...headers, 'content-range': `bytes */${found.size}` })
      .send();
  const bytes = await recordings.read(found, range);
  if (bytes === null) return sendProblem(reply, problem('route_not_found', {}), rules);
  const { first, last } = range ?? { first: 0, last: found.size - 1 };
  const part = range === null ? {} : { 'content-range': `bytes ${first}-${last}/${found.size}` };
  return reply
    .code(range === null ? 200 : 206)
    .headers({ ...headers, ...part, 'content-length': last - first + 1 })
    .send(bytes);
}

/** A requested byte range; null for the whole content, `unsatisfiable` for a range outside of the content. */
export type AskedRange = ByteRange | null | 'unsatisfiable';

/**
 * Parses a Range header for `size` bytes (RFC 9110, 14.2). Returns null for an absent, multiple or malformed range,
 * which is ignored, and 'unsatisfiable' for a range outside of the bytes.
 */
export function byteRange(header: string | undefined, size: number): AskedRange {
  const [, from = '', to = ''] = /^bytes=(\d*)-(\d*)$/.exec(header ?? '') ?? [];
  if (from !== '') return between(Number(from), to === '' ? size - 1 : Number(to), size);
  return to === '' ? null : lastBytes(Number(to), size);
}

function between(first: number, last: number, size: number): AskedRange {
  if (first >= size) return 'unsatisfiable';
  return last < first ? null : { first, last: Math.min(last, size - 1) };
}

function lastBytes(length: number, size: number): AskedRange {
  return length === 0 || size === 0 ? 'unsatisfiable' : { first: Math.max(size - length, 0), last: size - 1 };
}
