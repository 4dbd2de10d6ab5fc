import { HostBusy } from '#browsers/index.ts';
import type { Answer, BrowserCommand } from '#cluster/index.ts';
import { browserById, isStopped } from '#store/queries/browsers.ts';
import { placeUpload } from './browser-uploads.ts';
import type { StandaloneParts } from './parts.ts';
import type { RunningBrowsers } from './parts.ts';
import { giveUp, isElsewhere } from './among-others.ts';
import { stopBrowser } from './stop-browser.ts';

/** Does in this process what a standalone browser's owner has to do; settles when it is done. */
export async function obey(parts: StandaloneParts, running: RunningBrowsers, command: BrowserCommand): Promise<Answer> {
  if (command.op === 'begin') return begin(parts, running, command.browserId);
  await carryOut(parts, running, command);
  return {};
}

type Other = Exclude<BrowserCommand, { op: 'begin' }>;

async function carryOut(parts: StandaloneParts, running: RunningBrowsers, command: Other): Promise<void> {
  const { browserId } = command;
  switch (command.op) {
    case 'stopBrowser':
      return stopBrowser(parts, running, browserId);
    case 'giveUp':
      return giveUp(parts, running, browserId);
    case 'yieldBrowser':
      return yieldProfile(parts, running, browserId);
    case 'placeUpload':
      return place(parts, running, command.fileId);
  }
}

/** A file that was removed meanwhile is not placed. */
async function place(parts: StandaloneParts, running: RunningBrowsers, fileId: string): Promise<void> {
  const file = await parts.workspaces.findFile(fileId);
  if (file !== null) await placeUpload(parts, running, file);
}

async function begin(parts: StandaloneParts, running: RunningBrowsers, browserId: string): Promise<Answer> {
  try {
    const begun = await running.begin(await browserById(parts.db, browserId));
    return begun ? { begun } : { begun, isElsewhere: await isElsewhere(parts, browserId) };
  } catch (error) {
    if (!(error instanceof HostBusy)) throw error;
    return { waiting: error.waiting, retryAfterMs: error.retryAfterMs };
  }
}

/** A browser that is being stopped is waited for; one that lives keeps its profile, and sessions are not ours to ask. */
async function yieldProfile(parts: StandaloneParts, running: RunningBrowsers, id: string): Promise<void> {
  if (!(await isStopped(parts.db, id))) return;
  await running.stop(id);
  await parts.browserProfiles.release(id);
}
