import type { Insertable } from 'kysely';
import type { Flag, TimeMs } from './values.ts';

/** A workspace: stored files that outlive the sessions that use them. All API versions share this table. */
export interface WorkspaceTable {
  id: string;
  projectId: string;
  name: string | null;
  createdAt: TimeMs;
  updatedAt: TimeMs;
  /** Time at which the workspace was deleted, or null. */
  archivedAt: TimeMs | null;
  /**
   * Session or browser that owns this hidden workspace; null for a workspace that clients created. The workspace is
   * removed when its session is deleted or its browser stops.
   */
  ownerId: string | null;
}

/** A file of a workspace, or an upload that may become one; a path belongs to at most one stored file. */
export interface FileTable {
  id: string;
  workspaceId: string;
  path: string;
  contentType: string;
  size: number;
  /** Whether the upload may replace a stored file of the same path. */
  mayOverride: Flag;
  /** Time after which an upload that is not complete may be removed. The upload URL expires earlier. */
  openUntil: TimeMs;
  /** Blob with the bytes of the file; null before the upload is complete. */
  blobKey: string | null;
  /** Time at which the bytes of the file were complete, or null. */
  storedAt: TimeMs | null;
  /** The run whose agent wrote the file or whose browser downloaded it, or null. */
  runId: string | null;
}

/**
 * An upload that is attached to a run or to a queued message, with a copy of its metadata at that time. An upload can
 * be attached only once.
 */
export interface AttachmentTable {
  fileId: string;
  /** Run that the upload is attached to; null while its message is queued. */
  runId: string | null;
  /** Message that named the upload, or null. */
  messageId: number | null;
  name: string;
  path: string;
  contentType: string;
  size: number;
  /** Whether the bytes of the upload have arrived; stays true after the file is removed. */
  uploaded: Flag;
  /** Position of the upload in the request, from 0. */
  position: number;
}

/** Columns of a new workspace; columns that can be null or have a default may be absent. */
export type WorkspaceInsert = Insertable<WorkspaceTable>;
