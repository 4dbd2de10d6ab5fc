import type { DialogAnswer, SeenDialog, TabDialogs } from './tab.ts';

/** How a browser's dialogs are answered for its agent, and which came. */
export interface DialogAnswers {
  /** How the dialog that has just come up is answered, null when nothing was said of it; counts for one. */
  take(): DialogAnswer | null;
  setNext(answer: DialogAnswer | null): void;
  note(dialog: SeenDialog): void;
  /** What was noted since the last call. */
  drain(): SeenDialog[];
  /** Forgets what was said and what was noted: the next task knows nothing of it. */
  reset(): void;
}

/** A page can open dialogs without end. */
const NOTED_MAX = 20;
/** A message is shown to a model as it is. */
const MESSAGE_MAX = 2_000;

/** Answers for one browser; nothing is said and nothing has come. */
export function createDialogAnswers(): DialogAnswers {
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

/** The dialogs of a browser as its agent works with them. */
export function createDialogs(answers: DialogAnswers): TabDialogs {
  return {
    seen: async () => answers.drain(),
    answerNext: async (answer) => answers.setNext(answer),
  };
}
