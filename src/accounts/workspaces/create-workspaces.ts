import type { Readable } from 'node:stream';
import type { Problem } from '#contract/problems.ts';
import {
  findWorkspace,
  listWorkspaces,
  updateWorkspace,
  type WorkspacePage,
  type WorkspaceRow,
  type StoredFile,
  asStored,
  fileAt,
  fileById,
  filesOfRun,
  usedBytes,
} from '#store/queries/files.ts';
import { addWorkspace } from '#store/queries/inserts.ts';
import { inTransaction, type Transaction } from '#store/transaction.ts';
import {
  archiveWorkspace,
  discardBlobs,
  discardLeftBlobs,
  type FilePage,
  type FilesWanted,
  listFiles,
  removeFile,
  retireOwned,
} from './files.ts';
import type { WorkspaceDeps } from './deps.ts';
import { receiveUpload, type ReservedUpload, reserveUploads, type Sent, type WantedUploads } from './uploads.ts';
import { type NewFile, storeFile } from './store-file.ts';

/** Used and maximum bytes of a workspace. */
export interface WorkspaceSize {
  readonly usedBytes: number;
  readonly maxBytes: number;
}

/** Workspaces and their files, for the operations of every API version and for signed URLs. */
export interface Workspaces {
  create(projectId: string, name: string | null): Promise<WorkspaceRow>;
  /** Returns a workspace of the project, archived or not; null for any other id. */
  find(projectId: string, id: string): Promise<WorkspaceRow | null>;
  list(projectId: string, page: WorkspacePage): Promise<{ rows: WorkspaceRow[]; total: number }>;
  /** Renames a workspace and returns it; null when it was archived in the meantime. */
  rename(id: string, name: string | null): Promise<WorkspaceRow | null>;
  /** Archives a workspace and removes its files. Has no effect on an archived workspace. */
  archive(id: string): Promise<void>;
  size(id: string): Promise<WorkspaceSize>;
  files(id: string, wanted: FilesWanted): Promise<FilePage>;
  /** Removes a file; returns false for an unknown path. */
  removeFile(id: string, path: string): Promise<boolean>;
  /**
   * Reserves all uploads of a request, in the order of its files. If one of them is refused, returns a problem and
   * reserves none.
   */
  reserve(id: string, wanted: WantedUploads): Promise<readonly ReservedUpload[] | Problem>;
  /** Receives the bytes of a reserved upload. Returns the stored file, or the refusal. */
  receive(uploadId: string, sent: Sent): Promise<StoredFile | Problem>;
  /** Returns a stored file and its bytes, or null when the file does not exist. */
  open(fileId: string): Promise<{ readonly file: StoredFile; readonly bytes: Readable } | null>;
  /** Returns the stored file with an id, or null. */
  findFile(fileId: string): Promise<StoredFile | null>;
  /** Returns the stored file at a path, or null. */
  fileAt(id: string, path: string): Promise<StoredFile | null>;
  /** Returns the files that a run created, ordered by path. */
  filesOfRun(runId: string): Promise<readonly StoredFile[]>;
  /** Stores a file that the service itself created. Returns the stored file, or the refusal. */
  store(id: string, file: NewFile): Promise<StoredFile | Problem>;
  /**
   * Archives the workspace of a session or browser within the transaction that ends its owner. Returns the blob keys
   * for `discard`.
   */
  retireOwned(trx: Transaction, ownerId: string): Promise<readonly string[]>;
  /** Deletes the bytes of removed files. */
  discard(keys: readonly string[]): Promise<void>;
}

/** Creates the management of a service's workspaces, after deleting blobs that an earlier process left unreferenced. */
export async function createWorkspaces(deps: WorkspaceDeps): Promise<Workspaces> {
  const { db, limits } = deps;
  await discardLeftBlobs(deps);
  return {
    create: (projectId, name) => create(deps, projectId, name),
    find: (projectId, id) => findWorkspace(db, projectId, id),
    list: (projectId, page) => listWorkspaces(db, projectId, page),
    rename: (id, name) => updateWorkspace(db, id, { name, updatedAt: deps.clock.now() }),
    archive: (id) => archiveWorkspace(deps, id),
    size: async (id) => ({ usedBytes: await usedBytes(db, id), maxBytes: limits.bytesMax }),
    files: (id, wanted) => listFiles(deps, id, wanted),
    removeFile: (id, path) => removeFile(deps, id, path),
    reserve: (id, wanted) => reserveUploads(deps, id, wanted),
    receive: (uploadId, sent) => receiveUpload(deps, uploadId, sent),
    open: (fileId) => open(deps, fileId),
    findFile: (fileId) => storedById(deps, fileId),
    fileAt: (id, path) => fileAt(db, id, path),
    filesOfRun: (runId) => filesOfRun(db, runId),
    store: (id, file) => storeFile(deps, id, file),
    retireOwned: (trx, ownerId) => retireOwned(trx, ownerId, deps.clock.now()),
    discard: (keys) => discardBlobs(deps, keys),
  };
}

async function create(
  { db, clock, newId }: WorkspaceDeps,
  projectId: string,
  name: string | null,
): Promise<WorkspaceRow> {
  const now = clock.now();
  const times = { createdAt: now, updatedAt: now, archivedAt: null };
  const workspace = { id: newId(), projectId, name, ownerId: null, ...times };
  await inTransaction(db, (trx) => addWorkspace(trx, workspace), { of: [projectId] });
  return workspace;
}

async function storedById({ db }: WorkspaceDeps, fileId: string): Promise<StoredFile | null> {
  const row = await fileById(db, fileId);
  return row === null ? null : asStored(row);
}

async function open(deps: WorkspaceDeps, fileId: string): ReturnType<Workspaces['open']> {
  const file = await storedById(deps, fileId);
  if (file === null) return null;
  const bytes = await deps.blobs.read(file.blobKey);
  return bytes === null ? null : { file, bytes };
}
