import { browserStatus } from '#generated/states.ts';
import type { HostedBrowser } from '#browsers/host.ts';
import { type BrowserRow, browserById } from '#store/queries/browsers.ts';
import { addWorkspace } from '#store/queries/inserts.ts';
import { type StoredFile, ownedWorkspace, findWorkspaceOwner } from '#store/queries/files.ts';
import { inTransaction } from '#store/transaction.ts';
import type { RunningBrowsers, StandaloneDeps } from './deps.ts';

type Parts = Pick<StandaloneDeps, 'db' | 'workspaces'>;

/** Maximum number of uploads that are copied to a restarted browser. */
const placedMax = 1_000;

/** Returns the workspace for uploads of an active browser, creating it if needed; null for an ended browser. */
export function uploadWorkspace({ db, newId, clock }: StandaloneDeps, browser: BrowserRow): Promise<string | null> {
  return inTransaction(
    db,
    async (trx) => {
      if ((await browserById(trx, browser.id)).status !== browserStatus.active) return null;
      const owned = await ownedWorkspace(trx, browser.id);
      if (owned !== null) return owned.id;
      const [id, now] = [newId(), clock.now()];
      const workspace = { id, projectId: browser.projectId, ownerId: browser.id, createdAt: now, updatedAt: now };
      await addWorkspace(trx, workspace);
      return id;
    },
    { of: [browser.id] },
  );
}

/** Copies an upload into the folder of its browser if the browser is running. */
export async function placeUpload(deps: Parts, running: RunningBrowsers, file: StoredFile): Promise<void> {
  const owner = await findWorkspaceOwner(deps.db, file.workspaceId);
  const browser = owner === null ? null : running.get(owner);
  if (owner === null || browser === null) return;
  try {
    await place(deps, browser, file);
  } catch (error) {
    // The folder of an ended browser is removed. The next process gets the file from the workspace.
    if (running.get(owner) === browser) throw error;
  }
}

/** Copies the uploads of a browser, at most `placedMax`, into the folder of its newly started process. */
export async function placeUploads(deps: Parts, browserId: string, browser: HostedBrowser): Promise<void> {
  const owned = await ownedWorkspace(deps.db, browserId);
  if (owned === null) return;
  const wanted = { prefix: '', shallow: false, behind: null, limit: placedMax };
  const { files } = await deps.workspaces.files(owned.id, wanted);
  for (const file of files) await place(deps, browser, file);
}

/**
 * Writes a file into the folder of a browser. If the file was replaced during the write, writes the replacement under
 * the same name.
 */
async function place(deps: Parts, browser: HostedBrowser, { id, path, workspaceId }: StoredFile): Promise<void> {
  const opened = await deps.workspaces.open(id);
  if (opened === null) return;
  try {
    await browser.uploads.put(path.slice(path.lastIndexOf('/') + 1), opened.bytes);
  } finally {
    // Has no effect on a stream that was read to its end.
    opened.bytes.destroy();
  }
  if ((await deps.workspaces.findFile(id)) !== null) return;
  const replacement = await deps.workspaces.fileAt(workspaceId, path);
  if (replacement !== null) await place(deps, browser, replacement);
}
