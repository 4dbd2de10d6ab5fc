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
 * Dismisses the dialogs (alert, confirm, prompt, beforeunload) of a context's pages that no client can answer: those that opened
 * while nobody was there, and those whose every witness has left, because Chromium tells a client only of what opens while it is
 * there. Playwright would dismiss them always when nobody listens, and take them away from a client that wants to answer.
 */
export function createDialogWatch(context: BrowserContext, log: HostLog): DialogWatch {
  const witnesses = new Map<Dialog, Set<symbol>>();
  const clients = new Set<symbol>();
  const dismissUnseen = (): void => {
    for (const [dialog, seenBy] of witnesses) {
      if (seenBy.size > 0) continue;
      witnesses.delete(dialog);
      dismiss(dialog, log);
    }
  };
  context.on('dialog', (dialog) => {
    // A dialog that a client has answered is of no further interest; its page can only show one at a time.
    for (const other of witnesses.keys()) if (other.page() === dialog.page()) witnesses.delete(other);
    witnesses.set(dialog, new Set(clients));
    dismissUnseen();
  });
  return {
    join() {
      const client = Symbol('client');
      clients.add(client);
      return () => {
        if (!clients.delete(client)) return;
        for (const seenBy of witnesses.values()) seenBy.delete(client);
        dismissUnseen();
      };
    },
    open: () => [...witnesses.keys()],
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
