import type { BrowserContext, Dialog } from 'playwright-core';
import type { HostLog } from '../host-log.ts';
import type { DialogAnswer, SeenDialog, TabDialogs } from './tab.ts';

/** Answers for the dialogs of a browser, and the dialogs that occurred. */
export interface DialogAnswers {
  /** Takes the answer for a dialog; null without an answer. Each answer is used once. */
  take(): DialogAnswer | null;
  setNext(answer: DialogAnswer | null): void;
  note(dialog: SeenDialog): void;
  /** Returns the dialogs recorded since the last call. */
  drain(): SeenDialog[];
  /** Clears answers and records, so that the next task starts without them. */
  reset(): void;
}

/** Maximum number of recorded dialogs, because a page can open any number. */
const NOTED_MAX = 20;
/** Maximum length of a dialog's message, which a model reads unchanged. */
const MESSAGE_MAX = 2_000;

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
      noted = [...noted.slice(1 - NOTED_MAX), { ...dialog, message: dialog.message.slice(0, MESSAGE_MAX) }];
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

/** Creates the access of an agent to the dialogs of its browser. */
export function createDialogs(answers: DialogAnswers): TabDialogs {
  return {
    seen: async () => answers.drain(),
    answerNext: async (answer) => answers.setNext(answer),
  };
}

/** Prevents dialogs from blocking pages without a client, and leaves dialogs to clients. */
export interface DialogWatch {
  /** Answers of the agent, which take precedence, and the dialogs that occurred. */
  readonly answers: DialogAnswers;
  /**
   * Registers a client that may answer dialogs; the returned function unregisters this client. Further calls do
   * nothing.
   */
  join(): () => void;
  /** Returns dialogs that may still be open; a client may have answered some of them. */
  open(): Dialog[];
  /**
   * Dismisses all open and later dialogs, those of clients included, until the result is disposed. Accepts beforeunload
   * dialogs, so that pages can be left.
   */
  dismissAll(): Disposable;
}

/**
 * Creates a watch that answers dialogs that no client can answer: it accepts beforeunload, and dismisses alert, confirm
 * and prompt. No client can answer a dialog that opened without a client, or whose clients have all left, because
 * Chromium announces a dialog only at its opening. Without a listener, Playwright would dismiss every dialog, including
 * those that a client wants to answer.
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
