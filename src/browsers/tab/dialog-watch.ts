import type { BrowserContext, Dialog } from 'playwright-core';
import type { DialogAnswer, SeenDialog } from './tab.ts';
import type { HostLog } from '../host-log.ts';
import { createDialogAnswers, type DialogAnswers } from './dialog-answers.ts';

/** Keeps dialogs from blocking pages that nobody drives, and leaves them to clients that do. */
export interface DialogWatch {
  /** What the agent says of dialogs, which goes before whoever else is there, and which came. */
  readonly answers: DialogAnswers;
  /** Counts one client in; the returned function counts it out, once. */
  join(): () => void;
  /** Dialogs that may still be open; one that a client has answered can be among them. */
  open(): Dialog[];
  /** Dismisses all dialogs, those of clients too, and those that come up until the result is disposed of. */
  dismissAll(): Disposable;
}

/**
 * Dismisses the dialogs (alert, confirm, prompt, beforeunload) of a context's pages that no client can answer: those that opened
 * while nobody was there, and those whose every witness has left, because Chromium tells a client only of what opens while it is
 * there. Playwright would dismiss them always when nobody listens, and take them away from a client that wants to answer.
 */
export function createDialogWatch(context: BrowserContext, log: HostLog): DialogWatch {
  const answers = createDialogAnswers();
  const witnesses = new Map<Dialog, Set<symbol>>();
  const clients = new Set<symbol>();
  let dismissing = 0;
  const dismissUnseen = (): void => {
    for (const [dialog, seenBy] of witnesses) {
      if (seenBy.size > 0 && dismissing === 0) continue;
      witnesses.delete(dialog);
      dismiss(dialog, log);
    }
  };
  context.on('dialog', (dialog) => {
    // A dialog that a client has answered is of no further interest; its page can only show one at a time.
    for (const other of witnesses.keys()) if (other.page() === dialog.page()) witnesses.delete(other);
    const wanted = dismissing > 0 ? null : answers.take();
    answers.note({
      kind: kindOf(dialog),
      message: dialog.message(),
      answer: fate(dialog, wanted, clients.size > 0 && dismissing === 0),
    });
    if (wanted !== null) return answerDialog(dialog, wanted, log);
    witnesses.set(dialog, new Set(clients));
    dismissUnseen();
  });
  return {
    answers,
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
    dismissAll() {
      dismissing += 1;
      dismissUnseen();
      return { [Symbol.dispose]: () => void (dismissing -= 1) };
    },
  };
}

function dismiss(dialog: Dialog, log: HostLog): void {
  // Dismissing the question whether to leave a page would keep the page, and whoever opens an address wants to leave.
  answerDialog(dialog, { accept: dialog.type() === 'beforeunload', text: '' }, log);
}

function answerDialog(dialog: Dialog, { accept, text }: DialogAnswer, log: HostLog): void {
  const answered = accept ? dialog.accept(dialog.type() === 'prompt' ? text : undefined) : dialog.dismiss();
  answered.catch((error: unknown) => {
    // A client has answered it before, or its page has gone.
    log.info({ err: error }, 'a dialog was gone already');
  });
}

function fate(dialog: Dialog, wanted: DialogAnswer | null, isSeen: boolean): SeenDialog['answer'] {
  if (wanted === null && isSeen) return 'left to others';
  return (wanted?.accept ?? dialog.type() === 'beforeunload') ? 'accepted' : 'dismissed';
}

function kindOf(dialog: Dialog): SeenDialog['kind'] {
  const kind = dialog.type();
  return kind === 'confirm' || kind === 'prompt' || kind === 'beforeunload' ? kind : 'alert';
}
