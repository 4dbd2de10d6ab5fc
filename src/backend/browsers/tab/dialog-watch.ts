import type { BrowserContext, Dialog } from 'playwright-core';
import type { HostLog } from '../host-log.ts';

/** Keeps dialogs from blocking pages that nobody drives, and leaves them to clients that do. */
export interface DialogWatch {
  /** Counts one client in; the returned function counts it out, once. */
  join(): () => void;
  /** Dialogs that may still be open; one that a client has answered can be among them. */
  open(): Dialog[];
}

/**
 * Dismisses the dialogs (alert, confirm, prompt, beforeunload) of a context's pages while no client is there. Playwright would
 * dismiss them always when nobody listens, and take them away from a client that wants to answer them itself.
 */
export function createDialogWatch(context: BrowserContext, log: HostLog): DialogWatch {
  const open = new Set<Dialog>();
  let clients = 0;
  const dismissAll = (): void => {
    for (const dialog of open) dismiss(dialog, log);
    open.clear();
  };
  context.on('dialog', (dialog) => {
    open.add(dialog);
    // A dialog that a client has answered is of no further interest; its page can only show one at a time.
    for (const other of open) if (other !== dialog && other.page() === dialog.page()) open.delete(other);
    if (clients === 0) dismissAll();
  });
  return {
    join() {
      clients += 1;
      let here = true;
      return () => {
        if (!here) return;
        here = false;
        clients -= 1;
        if (clients === 0) dismissAll();
      };
    },
    open: () => [...open],
  };
}

function dismiss(dialog: Dialog, log: HostLog): void {
  // Dismissing the question whether to leave a page would keep the page, and whoever opens an address wants to leave.
  const answer = dialog.type() === 'beforeunload' ? dialog.accept() : dialog.dismiss();
  answer.catch((error: unknown) => {
    // A client has answered it before, or its page has gone.
    log.info({ err: error }, 'a dialog was gone already');
  });
}
