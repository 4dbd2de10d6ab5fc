import { rename, rm, lstat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { DownloadLedger } from './download-ledger.ts';
import type { FinishedDownload } from './download-rules.ts';
import type { DownloadFollower, DownloadParts } from './download-parts.ts';

/** What is known of the downloads of one browser. */
export interface TakeParts extends Omit<DownloadParts, 'mux'> {
  readonly ledger: DownloadLedger;
  /** Files that nobody has taken. */
  readonly finished: Set<FinishedDownload>;
  readonly followers: ReadonlySet<DownloadFollower>;
}

/** Moves a complete file out of the browser's reach and hands it to whoever takes it; never rejects. */
export async function takeOver(parts: TakeParts, id: string, given: string): Promise<void> {
  const { folder, ledger, followers, log } = parts;
  // Only the name counts: every download of ours lies directly in the one folder.
  const [source, path] = [join(folder.downloads, basename(given)), join(folder.finished, basename(id))];
  let file: FinishedDownload | null = null;
  try {
    file = await moveAway(ledger, { id, source, path });
    if (file !== null) return await handOver(parts, id, file);
  } catch (error) {
    log.warn({ err: error }, 'a download could not be kept');
  }
  if (file === null) ledger.drop(id);
  else ledger.release(file.size);
  for (const follower of followers) follower.failed(id, 'it could not be kept');
  await rm(path, { force: true }).catch((left: unknown) => log.warn({ err: left }, 'a download was left behind'));
}

/** The file in its new place, or null when it is not to be kept. */
async function moveAway(
  ledger: DownloadLedger,
  { id, source, path }: { id: string; source: string; path: string },
): Promise<FinishedDownload | null> {
  const name = ledger.nameOf(id);
  await rename(source, path);
  const size = await lstatFile(path);
  return ledger.finish(id, size ?? 0) && size !== null && name !== null ? { name, path, size } : null;
}

async function handOver(
  { ledger, finished, followers, rules }: TakeParts,
  id: string,
  file: FinishedDownload,
): Promise<void> {
  for (const follower of followers) {
    if (!(await follower.take(id, file))) continue;
    await rm(file.path, { force: true });
    return ledger.release(file.size);
  }
  finished.add(file);
  if (rules.keep === undefined) return;
  await rules.keep(file).finally(() => finished.delete(file));
  await rm(file.path, { force: true });
}

/** The size of a file in bytes; null for what is none, such as a link to somebody else's file. */
async function lstatFile(path: string): Promise<number | null> {
  const found = await lstat(path);
  return found.isFile() ? found.size : null;
}
