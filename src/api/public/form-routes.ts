import multipart from '@fastify/multipart';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type Problem, isProblem, problem } from '#contract/problems.ts';
import { getLimit } from '#contract/rule-book.ts';
import type { StandaloneBrowsers } from '#sessions/standalone/index.ts';
import type { StoredFile } from '#store/queries/files.ts';
import { sendProblem } from '../http/refuse.ts';
import type { FileRouteDeps } from './file-routes.ts';
import { formPath } from '#lib/signed-url.ts';

/** Dependencies of the form route. */
export interface FormRouteDeps extends Omit<FileRouteDeps, 'browsers'> {
  readonly browsers: Pick<StandaloneBrowsers, 'placeUpload'>;
}

/** Limits of a multipart form. Five fields and one file are expected, and a client may add some fields. */
const bounds = { fields: 20, fieldSize: 2_000, fieldNameSize: 100, files: 1, parts: 21, headerPairs: 20 };

/**
 * Content types that a file part has if the client declares none: by the standard (RFC 7578), and by common clients.
 */
const unnamedTypes = ['text/plain', 'application/octet-stream'];

/** A file part as the multipart parser returns it. */
interface FilePart {
  readonly type: 'file';
  readonly mimetype: string;
  readonly file: NodeJS.ReadableStream & { iterator(options: { destroyOnReturn: boolean }): AsyncIterable<Uint8Array> };
}

type FormPart = FilePart | { readonly type: 'field'; readonly fieldname: string; readonly value: unknown };

/** Adds the route of upload forms: signed fields first, then the file, which is streamed to the blob store. */
export function addFormRoutes(app: FastifyInstance, deps: FormRouteDeps): void {
  // Registered in a scope of its own, because everywhere else a multipart body is an ordinary body.
  app.register(async (scope) => {
    const fileSize = getLimit(deps.rules, 'formUploadBytes') + 1;
    await scope.register(multipart, { limits: { ...bounds, fileSize }, throwFileSizeLimit: false });
    scope.post('/upload-forms', { errorHandler: onFormError(deps) }, (request, reply) => receive(deps, request, reply));
  });
}

async function receive(deps: FormRouteDeps, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  if (!request.isMultipart()) return sendProblem(reply, incomplete('the body is no multipart form'), deps.rules);
  const fields = new Map<string, string>();
  let taken: StoredFile | Problem = incomplete('there is no file');
  const form = readParts(request);
  for await (const part of form) {
    if (part.type === 'field') fields.set(part.fieldname, String(part.value));
    else taken = await takePart(deps, { part, fields, behind: form });
  }
  if (isProblem(taken)) return sendProblem(reply, taken, deps.rules);
  await deps.browsers.placeUpload(taken);
  const fileName = taken.path.slice(taken.path.lastIndexOf('/') + 1);
  return reply.send({ id: taken.id, fileName, size: taken.size });
}

/** Thrown for a malformed form; the message describes the fault. */
class MalformedForm extends Error {
  override readonly name = 'MalformedForm';
}

/** Yields the parts of a form. Throws {@link MalformedForm} for every error of the parser. */
async function* readParts(request: FastifyRequest): AsyncGenerator<FormPart> {
  try {
    yield* request.parts();
  } catch (error) {
    // Detaches the parser, which would continue after an exceeded limit. The rest of the body is discarded unparsed.
    request.raw.unpipe();
    request.raw.resume();
    throw new MalformedForm(error instanceof Error ? error.message : String(error), { cause: error });
  }
}

interface Taking {
  readonly part: FilePart;
  /** Fields of the form that precede the file. */
  readonly fields: ReadonlyMap<string, string>;
  /** Parts of the form that follow the file. */
  readonly behind: AsyncIterable<FormPart>;
}

/**
 * Stores the file part. Rejected bytes are read and discarded, because the client could not read the response
 * otherwise.
 */
async function takePart(deps: FormRouteDeps, { part, fields, behind }: Taking): Promise<StoredFile | Problem> {
  let malformed: unknown;
  const bytes = withRest(part, behind, (error) => void (malformed = error));
  try {
    const taken = await takeFile(deps, { mimetype: part.mimetype, bytes }, fields);
    if (malformed !== undefined) throw malformed;
    return taken;
  } finally {
    part.file.resume();
  }
}

/**
 * Yields the bytes of a file, and then reads the rest of the form before the generator ends. If a later part is
 * malformed, calls `refused` and throws, so that the file is not stored.
 */
async function* withRest(
  { file }: FilePart,
  behind: AsyncIterable<FormPart>,
  refused: (error: unknown) => void,
): AsyncGenerator<Uint8Array> {
  yield* file.iterator({ destroyOnReturn: false });
  try {
    for await (const part of behind) if (part.type === 'file') part.file.resume();
  } catch (error) {
    refused(error);
    throw error;
  }
}

async function takeFile(
  { workspaces, signer, clock }: FormRouteDeps,
  { mimetype, bytes }: { mimetype: string; bytes: AsyncIterable<Uint8Array> },
  fields: ReadonlyMap<string, string>,
): Promise<StoredFile | Problem> {
  const missing = ['key', 'Content-Type', 'expires', 'nonce', 'signature'].filter((name) => !fields.has(name));
  if (missing.length > 0) return incomplete(`before the file there is no ${missing.join(', ')}`);
  const [key = '', contentType = ''] = ['key', 'Content-Type'].map((name) => fields.get(name));
  const query = new URLSearchParams(Object.fromEntries(fields));
  if (!signer.opens(formPath(key, contentType), query, clock.now())) return problem('form_expired', {});
  const found = unnamedTypes.includes(mimetype) ? contentType : mimetype;
  return workspaces.receive(key, { contentType: found, length: null, bytes });
}

function incomplete(reason: string): Problem {
  return problem('form_incomplete', { reason }, ['body']);
}

/**
 * Creates the error handler of the form route. It answers parser errors (such as too many parts or a malformed form)
 * and invalid content types, and throws other errors again.
 */
function onFormError(deps: FormRouteDeps) {
  return (error: Error, _request: FastifyRequest, reply: FastifyReply): void => {
    const isRefusal = error instanceof MalformedForm || ('statusCode' in error && error.statusCode === 415);
    if (!isRefusal) throw error;
    void sendProblem(reply, incomplete(error.message), deps.rules);
  };
}
