import { Buffer } from 'node:buffer';
import { buffer } from 'node:stream/consumers';
import { guessContentType, storedName, storedPath } from '#accounts/workspaces/file-names.ts';
import { type NewFile } from '#accounts/workspaces/store-file.ts';
import { type AgentFile, type AgentFiles, asText, FileError, type ReadFile } from '#agent/files.ts';
import type { DownloadedFile, HostedBrowser } from '#browsers/host.ts';
import { isProblem, type Problem, renderProblem } from '#contract/problems.ts';
import { getLimit } from '#contract/rule-book.ts';
import { listRunAttachments } from '#store/queries/attachments.ts';
import type { StoredFile } from '#store/queries/files.ts';
import { ensureWorkspace } from '#store/queries/sessions.ts';
import type { SessionRow } from '#store/tables/sessions.ts';
import { inTransaction } from '#store/transaction.ts';
import type { EngineState } from './engine-deps.ts';
import { noteEvent } from './transition.ts';

/** The task whose files an agent accesses. */
export interface FileOwner {
  readonly session: SessionRow;
  readonly runId: string;
}

/** Maximum length of a path that an agent writes, in bytes: a folder of 512 bytes and a name of 255. */
const pathBytesMax = 767;
/**
 * Maximum number of files in a list. A longer list is refused; the workspace operations return such a list in pages.
 */
const listedMax = 1_000;
/** Folders that are searched for a name without a folder, after the root and the attachments. */
const folders = ['uploads/', 'downloads/'];

/** Access of an agent's file functions to the downloads of its task. */
interface KeptDownloads {
  settled(): Promise<void>;
  kept(): Promise<readonly AgentFile[]>;
}

/** Creates access to the files of a task's workspace for its agent. */
export function createTaskFiles(engine: EngineState, of: FileOwner, downloads: KeptDownloads): AgentFiles {
  return {
    async list() {
      await downloads.settled();
      return listAll(engine, await workspaceOrRefuse(engine, of));
    },
    attached: () => attached(engine, of),
    async read(name) {
      await downloads.settled();
      return read(engine, of, name);
    },
    async readText(name) {
      await downloads.settled();
      return asText(await read(engine, of, name));
    },
    write: (path, text) => write(engine, of, { path, bytes: Buffer.from(text) }),
    async downloads() {
      await workspaceOrRefuse(engine, of);
      return downloads.kept();
    },
  };
}

async function workspaceOrRefuse(engine: EngineState, { session }: FileOwner): Promise<string> {
  const id = await sessionWorkspace(engine, session);
  if (id === null) throw new FileError('This session has no workspace, so there are no files.');
  return id;
}

async function listAll({ workspaces }: EngineState, workspaceId: string): Promise<AgentFile[]> {
  const page = await workspaces.files(workspaceId, { prefix: '', shallow: false, behind: null, limit: listedMax });
  if (page.lastPath !== null) throw new FileError(`The workspace has more than ${listedMax} files.`);
  return page.files.map(shown);
}

async function attached(engine: EngineState, { runId }: FileOwner): Promise<AgentFile[]> {
  const rows = await listRunAttachments(engine.db, runId);
  const files = rows.map(async ({ fileId: id, name, uploaded }) => {
    if (uploaded === 0) throw new FileError(`The attached file ${name} has not been uploaded yet.`);
    const file = await engine.workspaces.findFile(id);
    if (file === null) throw new FileError(`The attached file ${name} was removed or replaced.`);
    return shown(file);
  });
  return Promise.all(files);
}

async function read(engine: EngineState, of: FileOwner, name: string): Promise<ReadFile> {
  const workspaceId = await workspaceOrRefuse(engine, of);
  const file = await findFile(engine, { workspaceId, runId: of.runId, name });
  if (file === null) throw new FileError(`There is no file ${name}.`);
  const limit = getLimit(engine.rules, 'agentFileBytes');
  if (file.size > limit)
    throw new FileError(`The file ${file.path} is too large: ${file.size} bytes of at most ${limit}.`);
  const opened = await engine.workspaces.open(file.id);
  if (opened === null) throw new FileError(`There is no file ${name}.`);
  return { ...shown(file), bytes: await buffer(opened.bytes) };
}

/**
 * Returns the file of a path, else null. For a name without a folder, also finds an attachment, an upload or a download
 * of that name.
 */
async function findFile(
  { db, workspaces }: EngineState,
  { workspaceId, runId, name }: { workspaceId: string; runId: string; name: string },
): Promise<StoredFile | null> {
  const path = storedPath(name);
  if (path === null) return null;
  const exact = await workspaces.fileAt(workspaceId, path);
  if (exact !== null || path.includes('/')) return exact;
  const attachment = (await listRunAttachments(db, runId)).find((row) => row.name === path);
  for (const candidate of [
    ...(attachment === undefined ? [] : [attachment.path]),
    ...folders.map((folder) => folder + path),
  ]) {
    const file = await workspaces.fileAt(workspaceId, candidate);
    if (file !== null) return file;
  }
  return null;
}

async function write(
  engine: EngineState,
  of: FileOwner,
  { path, bytes }: { path: string; bytes: Buffer },
): Promise<AgentFile> {
  const stored = storedPath(path);
  if (stored === null || Buffer.byteLength(stored) > pathBytesMax)
    throw new FileError(`No file can be called ${path}.`);
  const limit = getLimit(engine.rules, 'agentFileBytes');
  if (bytes.length > limit)
    throw new FileError(`The text is too long for a file: ${bytes.length} bytes of at most ${limit}.`);
  const file = { path: stored, size: bytes.length, contentType: guessContentType(stored), ifTaken: 'replace' } as const;
  return shown(await keep(engine, of, { ...file, bytes: one(bytes) }));
}

/** Stores a file of a task; rejects with a FileError when the workspace refuses it. */
async function keep(engine: EngineState, of: FileOwner, file: Omit<NewFile, 'runId'>): Promise<StoredFile> {
  const workspaceId = await workspaceOrRefuse(engine, of);
  const stored = await engine.workspaces.store(workspaceId, { ...file, runId: of.runId });
  if (isProblem(stored)) throw new FileError(`The file ${file.path} was not saved: ${wording(engine, stored)}.`);
  await tellFile(engine, of, stored);
  return stored;
}

/** Inserts the event that a run has stored a file. */
async function tellFile(engine: EngineState, { session, runId }: FileOwner, file: StoredFile): Promise<void> {
  const data = { path: file.path, size: file.size, content_type: file.contentType };
  const note = { sessionId: session.id, runId, type: 'file.stored', data };
  await inTransaction(engine.db, (trx) => noteEvent(trx, note, engine.clock.now()), { of: [session.id] });
}

/** Returns the message of a refusal. */
function wording({ rules }: EngineState, refusal: Problem): string {
  const { body } = renderProblem(refusal, rules);
  return typeof body.detail === 'string' ? body.detail : JSON.stringify(body.detail);
}

/** Returns a file as the agent sees it. */
function shown({ path, size, contentType }: StoredFile): AgentFile {
  return { path, size, contentType };
}

async function* one(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

/** Downloads of the pages of a task. */
export interface TaskDownloads {
  /** Settles when no download is running, or when the task is ended. */
  settled(): Promise<void>;
  /**
   * Waits until no download is running, and returns the downloads that this task has stored. Rejects with a FileError
   * once for each download that could not be stored.
   */
  kept(): Promise<readonly AgentFile[]>;
  /** Cancels pending downloads and accepts no more; resolves when that is done. */
  end(): Promise<void>;
}

const folder = 'downloads/';
/** Maximum number of reported failed downloads: a page can start downloads without end. */
const refusalsMax = 100;
/** File name in place of a name without usable characters. */
const unnamed = 'download';

interface Parts extends FileOwner {
  readonly browser: HostedBrowser;
  readonly signal: AbortSignal;
  /** Redacts secret values in the name that a page has given to a file. */
  readonly shown: (name: string) => string;
}

/**
 * Stores the downloads that pages start after this call. Stores them in the folder `downloads` of the task's workspace.
 */
export function takeDownloads(
  engine: EngineState,
  { browser, signal, shown: withoutValues, ...of }: Parts,
): TaskDownloads {
  const kept: AgentFile[] = [];
  const refusals: string[] = [];
  const refused = (fileName: string, reason: string): void => {
    // The log contains neither name nor reason, because a page can put typed secrets into them.
    engine.log.info({ session: of.session.id }, 'a download was not kept');
    if (refusals.length < refusalsMax) refusals.push(`The download ${fileName} was not kept: ${reason}.`);
  };
  const claim = browser.takeDownloads({
    refused: (fileName, reason) => refused(withoutValues(fileName), reason),
    async take(given) {
      const file = { ...given, fileName: withoutValues(given.fileName) };
      try {
        kept.push(shown(await keep(engine, of, newFile(file))));
      } catch (error) {
        if (!(error instanceof FileError)) throw error;
        refused(file.fileName, error.message);
      }
    },
  });
  // Cancels at once, so that pending downloads are not awaited.
  const onAbort = (): void => claim.cancel();
  if (signal.aborted) onAbort();
  else signal.addEventListener('abort', onAbort, { once: true });
  return {
    settled: () => claim.settled(),
    async kept() {
      await claim.settled();
      const refusal = refusals.shift();
      if (refusal !== undefined) throw new FileError(refusal);
      return [...kept];
    },
    async end() {
      signal.removeEventListener('abort', onAbort);
      await claim.stop();
    },
  };
}

function newFile({ fileName, size, bytes }: DownloadedFile): Parameters<typeof keep>[2] {
  const path = `${folder}${storedName(fileName) ?? unnamed}`;
  return { path, size, bytes, contentType: guessContentType(path), ifTaken: 'number' };
}

/**
 * Returns the workspace of a session. A V2 session gets a hidden workspace on first use, which is removed with the
 * session. Null for a deleted V2 session, and for a V3 or V4 session without a workspace.
 */
export async function sessionWorkspace(engine: EngineState, session: SessionRow): Promise<string | null> {
  if (session.workspaceId !== null || session.generation !== 'v2') return session.workspaceId;
  const { id, projectId } = session;
  return ensureWorkspace(engine.db, { id, projectId, newId: engine.newId, now: engine.clock.now() });
}
