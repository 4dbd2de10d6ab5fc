import type { Dialog, Page } from 'playwright-core';
import type { HostLog } from '../host-log.ts';
import { within } from '../within.ts';
import type { CdpMux } from '../pipe/cdp-mux.ts';
import type { DialogWatch } from '../tab/dialogs.ts';
import type { Foreground } from '../tab/foreground.ts';
import { type LiveView, createLiveView } from './create-live-view.ts';
import { type Earlier, type OpenDialog, readDialog } from './tabs.ts';

/** Dependencies of the live view of a Chromium. */
export interface LocalViewDeps {
  readonly mux: CdpMux;
  readonly foreground: Foreground;
  readonly dialogs: DialogWatch;
  /** Whether a viewer may resize the browser window. */
  readonly canResize: boolean;
  readonly log: HostLog;
}

/**
 * Creates the live view of a Chromium. Even without viewers, it remembers which tab a client brought to the front and
 * which dialogs are open.
 */
export function createLocalView({ foreground, dialogs, ...parts }: LocalViewDeps): LiveView {
  let fronted: string | null = null;
  // A new tab comes to the front by itself.
  foreground.onChange(() => void (fronted = null));
  const earlier = (): Earlier => {
    const page = foreground.newest();
    const asked = dialogs.open().map((dialog) => ({
      url: dialog.page()?.url() ?? '',
      dialog: getAnswer(dialog, parts.log),
    }));
    const newest = page === null ? null : { url: page.url(), id: () => getTargetId(page, parts.log) };
    return { dialogs: asked, fronted, newest };
  };
  const view = createLiveView({ ...parts, dialogs, earlier });
  return {
    watch: (viewer) => view.watch(viewer),
    fronted(id) {
      fronted = id;
      view.fronted(id);
    },
  };
}

/** Timeout of reading the target id of a page. A page answers within milliseconds, but not while it shows a dialog. */
const idTimeoutMs = 2_000;

/** Returns the DevTools target id of a Playwright page; null when the page does not answer. */
async function getTargetId(page: Page, log: HostLog): Promise<string | null> {
  try {
    return await within(idTimeoutMs, askTargetId(page), 'The page does not answer.');
  } catch (error) {
    // Display only: another tab may be shown until a viewer selects one.
    log.info({ err: error }, 'the live view does not know which tab is the newest');
    return null;
  }
}

async function askTargetId(page: Page): Promise<string> {
  const session = await page.context().newCDPSession(page);
  const { targetInfo } = await session.send('Target.getTargetInfo');
  await session.detach();
  return targetInfo.targetId;
}

/**
 * Converts a dialog of Playwright for viewers, with a function that answers it through Playwright. A DevTools client
 * can answer only dialogs that opened while the client was attached.
 */
function getAnswer(dialog: Dialog, log: HostLog): OpenDialog {
  const shown = { type: dialog.type(), message: dialog.message(), defaultPrompt: dialog.defaultValue() };
  return {
    shown: readDialog(shown),
    answer(accept, text) {
      const answered = accept ? dialog.accept(text) : dialog.dismiss();
      answered.catch((error: unknown) => log.info({ err: error }, 'a dialog was gone already'));
    },
  };
}
