import { HostBusy } from '../browsers/index.ts';
import type { Answer, BrowserCommand } from '../owners/index.ts';
import { browserById, isStopped } from '../storage/browsers.ts';
import { placeUpload } from './browser-uploads.ts';
import type { StandaloneParts } from './create-standalone-browsers.ts';
import type { RunningBrowsers } from './running-browsers.ts';
import { giveUp } from './among-others.ts';
import { stopBrowser } from './stop-browser.ts';

/** Does in this process what a standalone browser's owner has to do; settles when it is done. */
export function obey(parts: StandaloneParts, running: RunningBrowsers, command: BrowserCommand): Promise<Answer> {
  const { browserId } = command;
  switch (command.op) {
    case 'begin':
      return begin(parts, running, browserId);
    case 'stopBrowser':
      return nothing(stopBrowser(parts, running, browserId));
    case 'giveUp':
      return nothing(giveUp(parts, running, browserId));
    case 'yieldBrowser':
      return nothing(yieldProfile(parts, running, browserId));
    default:
      return nothing(place(parts, running, command.fileId));
  }
}

async function nothing(done: Promise<void>): Promise<Answer> {
  await done;
  return {};
}

/** A file that was removed meanwhile is not placed. */
async function place(parts: StandaloneParts, running: RunningBrowsers, fileId: string): Promise<void> {
  const file = await parts.workspaces.findFile(fileId);
  if (file !== null) await placeUpload(parts, running, file);
}

async function begin(parts: StandaloneParts, running: RunningBrowsers, browserId: string): Promise<Answer> {
  try {
    return { begun: await running.begin(await browserById(parts.db, browserId)) };
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
