import { HostBusy } from '../browsers/index.ts';
import type { Answer, BrowserCommand } from '../owners/index.ts';
import { browserById, isStopped } from '../storage/browsers.ts';
import { placeUpload } from './browser-uploads.ts';
import type { StandaloneParts } from './create-standalone-browsers.ts';
import type { RunningBrowsers } from './running-browsers.ts';
import { giveUp } from './among-others.ts';
import { stopBrowser } from './stop-browser.ts';

/** Does in this process what a standalone browser's owner has to do; settles when it is done. */
export async function obey(parts: StandaloneParts, running: RunningBrowsers, command: BrowserCommand): Promise<Answer> {
  const { browserId } = command;
  switch (command.op) {
    case 'begin':
      return begin(parts, running, browserId);
    case 'stopBrowser':
      await stopBrowser(parts, running, browserId);
      return {};
    case 'placeUpload': {
      const file = await parts.workspaces.findFile(command.fileId);
      if (file !== null) await placeUpload(parts, running, file);
      return {};
    }
    case 'giveUp':
      await giveUp(parts, running, browserId);
      return {};
    case 'yieldBrowser':
      await yieldProfile(parts, running, browserId);
      return {};
  }
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
