import type { Selectable } from 'kysely';
import type { Transaction } from '../transaction.ts';
import type { AttachmentTable } from '../tables/files.ts';
import { flag } from '../tables/values.ts';
import type { Executor } from '../executor.ts';

/** An attachment as the database holds it. */
export type AttachmentRow = Selectable<AttachmentTable>;

/** Owner of uploads: a run, or a waiting message. */
export type AttachedTo = { readonly runId: string } | { readonly messageId: number };

/**
 * Attaches uploads of a workspace, within the transaction that writes the run or message. Returns the ids that could
 * not be attached, in lower case: unknown uploads, uploads of other workspaces, and uploads that are attached already.
 * If `workspaceId` is null, returns all ids.
 */
export async function attach(
  trx: Transaction,
  { workspaceId, fileIds, to }: { workspaceId: string | null; fileIds: readonly string[]; to: AttachedTo },
): Promise<string[]> {
  const missing: string[] = [];
  for (const [position, id] of [...new Set(fileIds.map((one) => one.toLowerCase()))].entries()) {
    const isAttached = workspaceId !== null && (await attachOne(trx, { workspaceId, id, position, to }));
    if (!isAttached) missing.push(id);
  }
  return missing;
}

interface One {
  readonly workspaceId: string;
  readonly id: string;
  readonly position: number;
  readonly to: AttachedTo;
}

async function attachOne(trx: Transaction, { workspaceId, id, position, to }: One): Promise<boolean> {
  const file = await trx
    .selectFrom('files')
    .selectAll()
    .where('id', '=', id)
    .where('workspaceId', '=', workspaceId)
    .executeTakeFirst();
  if (file === undefined) return false;
  const row = {
    fileId: id,
    runId: 'runId' in to ? to.runId : null,
    messageId: 'messageId' in to ? to.messageId : null,
    name: file.path.slice(file.path.lastIndexOf('/') + 1),
    path: file.path,
    contentType: file.contentType,
    size: file.size,
    uploaded: flag(file.storedAt !== null),
    position,
  };
  const written = await trx
    .insertInto('attachments')
    .values(row)
    .onConflict((conflict) => conflict.column('fileId').doNothing())
    .returning('fileId')
    .executeTakeFirst();
  return written !== undefined;
}

/** Returns the attachments of a run, in the order of its request. */
export function listRunAttachments(db: Executor, runId: string): Promise<AttachmentRow[]> {
  return db.selectFrom('attachments').selectAll().where('runId', '=', runId).orderBy('position').execute();
}

/** Returns the upload ids of each run; runs without attachments are absent. */
export async function runUploadIds(db: Executor, runIds: readonly string[]): Promise<ReadonlyMap<string, string[]>> {
  if (runIds.length === 0) return new Map();
  const rows = await db
    .selectFrom('attachments')
    .select(['runId', 'fileId'])
    .where('runId', 'in', [...runIds])
    .orderBy('position')
    .execute();
  const groups = Map.groupBy(rows, ({ runId }) => runId ?? '');
  return new Map(Array.from(groups, ([runId, ofRun]) => [runId, ofRun.map(({ fileId }) => fileId)]));
}

/** Returns the upload ids of each message; messages without attachments are absent. */
export async function messageUploadIds(
  db: Executor,
  messageIds: readonly number[],
): Promise<ReadonlyMap<number, string[]>> {
  if (messageIds.length === 0) return new Map();
  const rows = await db
    .selectFrom('attachments')
    .select(['messageId', 'fileId'])
    .where('messageId', 'in', [...messageIds])
    .orderBy('position')
    .execute();
  const groups = Map.groupBy(rows, ({ messageId }) => messageId ?? 0);
  return new Map(Array.from(groups, ([messageId, ofMessage]) => [messageId, ofMessage.map(({ fileId }) => fileId)]));
}

/** Moves the attachments of a message to the run that the message became. */
export async function moveAttachments(trx: Transaction, messageId: number, runId: string): Promise<void> {
  await trx.updateTable('attachments').set({ runId }).where('messageId', '=', messageId).execute();
}

/** Marks the attachments of an upload as stored. */
export async function markUploaded(trx: Transaction, fileId: string): Promise<void> {
  await trx
    .updateTable('attachments')
    .set({ uploaded: flag(true) })
    .where('fileId', '=', fileId)
    .execute();
}

/** Releases the uploads of a message that will not become a run, so that they can be attached again. */
export async function releaseAttachments(trx: Transaction, messageId: number): Promise<void> {
  await trx.deleteFrom('attachments').where('messageId', '=', messageId).execute();
}

/** Releases the uploads of all pending messages of a session, so that they can be attached again. */
export async function releasePending(trx: Transaction, sessionId: string): Promise<void> {
  const pending = trx
    .selectFrom('queue_messages')
    .select('id')
    .where('sessionId', '=', sessionId)
    .where('status', '=', 'pending');
  await trx.deleteFrom('attachments').where('messageId', 'in', pending).execute();
}
