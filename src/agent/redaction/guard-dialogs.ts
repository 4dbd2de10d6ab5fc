import { type TabDialogs, TabError } from '#browsers/tab/tab.ts';
import { filled } from './fill-in.ts';
import { safelyBy } from './safe-error.ts';
import type { TabGuard } from './tab-guard.ts';

/** Dialogs whose messages show no value, and that take none: which page a dialog will come from is not known yet. */
export function guardDialogs(dialogs: TabDialogs, { redactor, secrets }: TabGuard): TabDialogs {
  const safely = safelyBy(redactor);
  return {
    seen: async () =>
      (await safely(() => dialogs.seen())).map((dialog) => ({ ...dialog, message: redactor.text(dialog.message) })),
    answerNext: (answer) =>
      safely(async () => {
        if (answer !== null && filled(answer.text, secrets) !== null)
          throw new TabError('Secrets are not typed into dialogs: only into fields of a page.');
        await dialogs.answerNext(answer);
      }),
  };
}
