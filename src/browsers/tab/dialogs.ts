import type { BrowserContext, Dialog } from 'playwright-core';
import type { HostLog } from '../host-log.ts';
import type { DialogAnswer, SeenDialog, TabDialogs } from './tab.ts';

/** Answer that the agent has set for the next dialog, and a record of the dialogs that occurred. */
export interface DialogAnswers {
  /** Returns the answer for the dialog that has just opened, and removes it; null if no answer is set. */
  take(): DialogAnswer | null;
  setNext(answer: DialogAnswer | null): void;
  note(dialog: SeenDialog): void;
  /** Returns the dialogs recorded since the last call. */
  drain(): SeenDialog[];
  /** Removes the answer and all recorded dialogs, so that the next task starts without them. */
  reset(): void;
}

/** Maximum number of recorded dialogs. A page can open any number of dialogs. */
const notedMax = 20;
/** Maximum length of the recorded message of a dialog, because a model reads the message unchanged. */
const messageMax = 2_000;

/** Creates an empty record of answers and dialogs. */
function createDialogAnswers(): DialogAnswers {
  let noted: SeenDialog[] = [];
  let next: DialogAnswer | null = null;
  return {
    take() {
      const answer = next;
      next = null;
      return answer;
    },
    setNext: (answer) => void (next = answer),
    note(dialog) {
      noted = [...noted.slice(1 - notedMax), { ...dialog, message: dialog.message.slice(0, messageMax) }];
    },
    drain() {
      const all = noted;
      noted = [];
      return all;
    },
    reset() {
      next = null;
      noted = [];
    },
  };
}

/** Creates the interface through which an agent sees and answers the dialogs of its browser. */
export function createDialogs(answers: DialogAnswers): TabDialogs {
  return {
    seen: async () => answers.drain(),
    answerNext: async (answer) => answers.setNext(answer),
  };
}

/**
 * Handles dialogs of pages. A DevTools client can answer a dialog; if no client can, the service answers it, so that
 * the page is not blocked.
 */
export interface DialogWatch {
  /** Answer of the agent for the next dialog, which takes precedence, and a record of the dialogs that occurred. */
  readonly answers: DialogAnswers;
  /**
   * Registers a client that may answer dialogs. The returned function unregisters the client; calling it again does
   * nothing.
   */
  join(): () => void;
  /** Returns dialogs that may still be open; a client may have answered some of them. */
  open(): Dialog[];
  /**
   * Dismisses all open and later dialogs until the result is disposed, even if a client could answer them. Accepts
   * beforeunload dialogs instead, so that pages can be left.
   */
  dismissAll(): Disposable;
}

/**
 * Creates a watch that answers the dialogs that no DevTools client can answer. It accepts beforeunload dialogs, and
 * dismisses alert, confirm and prompt. Chromium announces a dialog only when it opens. So no client can answer a dialog
 * if none of the present clients was connected when it opened. Without this watch, Playwright would dismiss every
 * dialog, including those that a client wants to answer.
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
    // A page shows only one dialog at a time, so a client has answered the earlier dialog of this page.
    for (const other of witnesses.keys()) if (other.page() === dialog.page()) witnesses.delete(other);
    const wanted = dismissing > 0 ? null : answers.take();
    answers.note({
      kind: getKind(dialog),
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
  // Dismissing a beforeunload dialog would keep the page, but the caller wants to navigate.
  answerDialog(dialog, { accept: dialog.type() === 'beforeunload', text: '' }, log);
}

function answerDialog(dialog: Dialog, { accept, text }: DialogAnswer, log: HostLog): void {
  const answered = accept ? dialog.accept(dialog.type() === 'prompt' ? text : undefined) : dialog.dismiss();
  answered.catch((error: unknown) => {
    // A client has answered the dialog before, or its page was closed.
    log.info({ err: error }, 'a dialog was gone already');
  });
}

function fate(dialog: Dialog, wanted: DialogAnswer | null, isSeen: boolean): SeenDialog['answer'] {
  if (wanted === null && isSeen) return 'left to others';
  return (wanted?.accept ?? dialog.type() === 'beforeunload') ? 'accepted' : 'dismissed';
}

function getKind(dialog: Dialog): SeenDialog['kind'] {
  const kind = dialog.type();
  return kind === 'confirm' || kind === 'prompt' || kind === 'beforeunload' ? kind : 'alert';
}
