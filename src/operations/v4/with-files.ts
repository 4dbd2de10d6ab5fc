import type { Caller } from '../common/caller.ts';
import type { MessageRow } from '#store/queue.ts';
import type { RunOfSession } from '#store/runs.ts';

/** A run or message with the uploads that belong to it; `fileIds` is null when it has none. */
export type WithFiles<Row> = Row & { readonly fileIds: readonly string[] | null };

/** A run with its uploads. */
export async function runWithFiles(found: RunOfSession, { engine }: Caller): Promise<WithFiles<RunOfSession>> {
  const ids = await engine.attachedIds([found.run.id]);
  return { ...found, fileIds: ids.get(found.run.id) ?? null };
}

/** Runs with their uploads, in the same order. */
export async function runsWithFiles(
  rows: readonly RunOfSession[],
  { engine }: Caller,
): Promise<WithFiles<RunOfSession>[]> {
  const ids = await engine.attachedIds(rows.map(({ run }) => run.id));
  return rows.map((row) => ({ ...row, fileIds: ids.get(row.run.id) ?? null }));
}

/** A message with its uploads. */
export async function messageWithFiles(message: MessageRow, { engine }: Caller): Promise<WithFiles<MessageRow>> {
  const ids = await engine.attachedIdsOfMessages([message.id]);
  return { ...message, fileIds: ids.get(message.id) ?? null };
}

/** Messages with their uploads, in the same order. */
export async function messagesWithFiles(
  messages: readonly MessageRow[],
  { engine }: Caller,
): Promise<WithFiles<MessageRow>[]> {
  const ids = await engine.attachedIdsOfMessages(messages.map(({ id }) => id));
  return messages.map((message) => ({ ...message, fileIds: ids.get(message.id) ?? null }));
}
