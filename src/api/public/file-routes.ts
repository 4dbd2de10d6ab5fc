import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Workspaces } from '#accounts/workspaces/create-workspaces.ts';
import { isProblem, problem } from '#contract/problems.ts';
import type { RuleBook } from '#contract/rule-book.ts';
import type { Clock } from '#lib/clock.ts';
import type { UrlSigner } from '#lib/signed-url.ts';
import type { StandaloneBrowsers } from '#sessions/standalone/index.ts';
import { sendProblem } from '../http/refuse.ts';
import { isSigned } from './routes.ts';

/** Dependencies of the file routes. */
export interface FileRouteDeps {
  readonly workspaces: Workspaces;
  readonly browsers: Pick<StandaloneBrowsers, 'openDownload'>;
  readonly signer: UrlSigner;
  readonly clock: Clock;
  readonly rules: RuleBook;
}

type FileRequest = FastifyRequest<{ Params: { id: string } }>;

/**
 * Headers of a file that a client uploaded or a page sent. Browsers may only save the file, and never run it in this
 * origin, whatever its type.
 */
const inert = {
  'x-content-type-options': 'nosniff',
  'content-security-policy': "sandbox; default-src 'none'",
  'cache-control': 'private, no-store',
};

const shownLength = 200;

/**
 * Adds the routes of presigned URLs: for the bytes of a reserved upload, for a stored file, and for a download of a
 * standalone browser. They require no key.
 */
export function addFileRoutes(app: FastifyInstance, deps: FileRouteDeps): void {
  app.put<{ Params: { id: string } }>('/uploads/:id', { errorHandler: onUploadError(deps) }, (request, reply) =>
    receive(deps, request, reply),
  );
  app.get<{ Params: { id: string } }>('/files/:id', (request, reply) => send(deps, request, reply));
  app.get<{ Params: { id: string } }>('/downloads/:id', (request, reply) => sendDownload(deps, request, reply));
}

async function receive(deps: FileRouteDeps, request: FileRequest, reply: FastifyReply): Promise<FastifyReply> {
  if (!isSigned(deps, `/uploads/${request.params.id}`, request))
    return sendProblem(reply, problem('upload_address_expired', {}), deps.rules);
  const length = request.headers['content-length'];
  const body = request.body instanceof Readable ? request.body : Readable.from([]);
  try {
    const taken = await deps.workspaces.receive(request.params.id, {
      contentType: request.headers['content-type'] ?? 'none',
      length: length === undefined ? null : Number(length),
      bytes: body.iterator({ destroyOnReturn: false }),
    });
    if (isProblem(taken)) return sendProblem(reply, taken, deps.rules);
    return reply.send({ id: taken.id, path: taken.path, size: taken.size });
  } finally {
    // Rejected bodies are read and discarded, because the client could not read the response otherwise.
    body.resume();
  }
}

async function send(deps: FileRouteDeps, request: FileRequest, reply: FastifyReply): Promise<FastifyReply> {
  if (!isSigned(deps, `/files/${request.params.id}`, request))
    return sendProblem(reply, problem('file_address_expired', {}), deps.rules);
  const found = await deps.workspaces.open(request.params.id);
  if (found === null) return sendProblem(reply, problem('file_not_found', {}), deps.rules);
  const { file, bytes } = found;
  const name = file.path.slice(file.path.lastIndexOf('/') + 1);
  return sendFile(reply, { name, contentType: file.contentType, size: file.size, bytes });
}

async function sendDownload(deps: FileRouteDeps, request: FileRequest, reply: FastifyReply): Promise<FastifyReply> {
  if (!isSigned(deps, `/downloads/${request.params.id}`, request))
    return sendProblem(reply, problem('file_address_expired', {}), deps.rules);
  const found = await deps.browsers.openDownload(request.params.id);
  if (found === null) return sendProblem(reply, problem('file_not_found', {}), deps.rules);
  const { download, bytes } = found;
  // The declared content type is not used: the file is saved and never displayed.
  const contentType = 'application/octet-stream';
  return sendFile(reply, { name: download.path, contentType, size: download.size, bytes });
}

interface SentFile {
  readonly name: string;
  readonly contentType: string;
  readonly size: number;
  readonly bytes: Readable;
}

function sendFile(reply: FastifyReply, { name, contentType, size, bytes }: SentFile): FastifyReply {
  return reply
    .headers({
      ...inert,
      'content-disposition': attachment(name),
      'content-type': contentType,
      'content-length': size,
    })
    .send(bytes);
}

/**
 * Creates the error handler of uploads. It answers content types that Fastify rejects, and throws other errors again.
 */
function onUploadError(deps: FileRouteDeps) {
  return (error: Error, request: FastifyRequest, reply: FastifyReply): void => {
    if (!('statusCode' in error) || error.statusCode !== 415) throw error;
    const found = String(request.headers['content-type']).slice(0, shownLength);
    const refused = problem('upload_type_differs', { expected: 'the declared type', found }, [
      'header',
      'content-type',
    ]);
    void sendProblem(reply, refused, deps.rules);
  };
}

/** Returns the Content-Disposition header of a download: the name in ASCII for old clients, and in UTF-8 (RFC 6266). */
export function attachment(name: string): string {
  const ascii = name.replaceAll(/[^\x20-\x7e]|["\\%]/gu, '_');
  const encoded = encodeURIComponent(name.toWellFormed()).replaceAll(
    /['()*!]/g,
    (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `attachment; filename="${ascii}"; filename*=UTF-8''${encoded}`;
}
