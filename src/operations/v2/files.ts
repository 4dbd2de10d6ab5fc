import { storedName } from '#accounts/workspaces/file-names.ts';
import type { HttpReply } from '#contract/http-messages.ts';
import { isTerminal } from '#contract/lifecycle.ts';
import { isProblem, problem, type Problem } from '#contract/problems.ts';
import { getLimit } from '#contract/rule-book.ts';
import type { components } from '#generated/v2.ts';
import { shortJson } from '#lib/json.ts';
import type { BrowserRow } from '#store/queries/browsers.ts';
import type { StoredFile } from '#store/queries/files.ts';
import type { SessionRow } from '#store/tables/sessions.ts';
import type { RequestContext } from '../common/request-context.ts';
import { findSessionOr404 } from '../common/sessions.ts';
import type { Operation, ParsedRequest } from '../operation.ts';
import { renderFile } from './render-task.ts';
import { readBody } from './run-settings.ts';
import { findTaskOr404 } from './tasks.ts';

interface Wanted extends NamedFile {
  readonly session: SessionRow;
}

/**
 * Reserves an upload to the hidden workspace of a session: POST /files/sessions/{session_id}/presigned-url (companion
 * 5.1 and 5.6).
 */
export const createSessionUpload: Operation<RequestContext, Wanted, OpenForm> = {
  async decide(request, context) {
    const file = readUpload(request);
    if (isProblem(file)) return file;
    const session = await findSessionOr404(request, context);
    if (isProblem(session)) return session;
    const hasEnded = isTerminal(context.rules.lifecycle, session.status);
    return hasEnded ? problem('session_stopped', {}) : { ...file, session };
  },
  async apply({ session, ...file }, context) {
    const workspaceId = await context.engine.sessionWorkspace(session);
    return workspaceId === null ? problem('session_not_found', {}) : openForm(context, workspaceId, file);
  },
  render: renderForm,
};

/** Folder of all uploads. */
const folder = 'uploads/';

/** A file to upload, with its stored name. */
export interface NamedFile {
  readonly fileName: string;
  readonly contentType: string;
  /** Exact size of the file in bytes: at least 1, at most 10 MiB. */
  readonly size: number;
}

/** An upload form for one file. */
export interface OpenForm extends NamedFile {
  readonly uploadId: string;
}

/** Returns the file that a body describes, or the refusal of a name without valid characters. */
function readUpload(request: ParsedRequest): NamedFile | Problem {
  const { fileName, contentType, sizeBytes } = readBody(request, 'UploadFile');
  const stored = storedName(fileName);
  if (stored === null) return problem('upload_name_empty', { found: shortJson(fileName) }, ['body', 'fileName']);
  return { fileName: stored, contentType, size: sizeBytes };
}

/** Reserves an upload to a workspace. The upload replaces a file with the same name. */
async function openForm(
  { workspaces }: RequestContext,
  workspaceId: string,
  file: NamedFile,
): Promise<OpenForm | Problem> {
  const files = [{ path: `${folder}${file.fileName}`, contentType: file.contentType, size: file.size }];
  const reserved = await workspaces.reserve(workspaceId, { files, allowOverrides: true });
  if (isProblem(reserved)) return reserved;
  const [upload] = reserved;
  if (upload === undefined) throw new Error('an upload was reserved and is not there');
  return { ...file, uploadId: upload.id };
}

/** Renders a presigned upload (companion 5.6). */
function renderForm({ uploadId, fileName, contentType }: OpenForm, { addresses, rules }: RequestContext): HttpReply {
  const body: components['schemas']['UploadForm'] = {
    ...addresses.uploadForm(uploadId, contentType),
    method: 'POST',
    fileName,
    expiresIn: getLimit(rules, 'formUploadLifetime') / msPerSecond,
  };
  return { status: 200, body };
}

const msPerSecond = 1000;

/** Returns a download URL of a task's file: GET /files/tasks/{task_id}/output-files/{file_id} (companion 5.1). */
export const getOutputFile: Operation<RequestContext, StoredFile, StoredFile> = {
  async decide(request, context) {
    const found = await findTaskOr404(request, context);
    if (isProblem(found)) return found;
    const id = (request.path['file_id'] ?? '').toLowerCase();
    const made = await context.workspaces.filesOfRun(found.run.id);
    return made.find((file) => file.id === id) ?? problem('output_file_not_found', {});
  },
  apply: async (file) => file,
  render: (file, { addresses }) => ({
    status: 200,
    body: { ...renderFile(file), downloadUrl: addresses.file(file.id) },
  }),
};

interface CreateBrowserUploadWanted extends NamedFile {
  readonly browser: BrowserRow;
}

/**
 * Reserves an upload of a file that DevTools clients of the browser can select: POST
 * /files/browsers/{session_id}/presigned-url (companion 5.1 and 5.6).
 */
export const createBrowserUpload: Operation<RequestContext, CreateBrowserUploadWanted, OpenForm> = {
  async decide(request, { browsers, scope }) {
    const file = readUpload(request);
    if (isProblem(file)) return file;
    const browser = await browsers.find(scope.projectId, (request.path['session_id'] ?? '').toLowerCase());
    if (browser === null) return problem('session_not_found', {});
    return browser.status === 'active' ? { ...file, browser } : problem('browser_stopped', {});
  },
  async apply({ browser, ...file }, context) {
    const workspaceId = await context.browsers.ensureWorkspace(browser);
    return workspaceId === null ? problem('browser_stopped', {}) : openForm(context, workspaceId, file);
  },
  render: renderForm,
};
