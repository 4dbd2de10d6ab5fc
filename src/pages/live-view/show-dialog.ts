import type { LiveDialog, LiveOrder } from '#contract/live-messages.ts';
import { element, needed } from './elements.ts';

/** What shows the dialog of the watched page; null when it has none. */
export type DialogView = (dialog: LiveDialog | null) => void;

/** Shows dialogs; only whoever may work in the page can answer them. */
export function createDialogView(isInteractive: boolean, order: (order: LiveOrder) => void): DialogView {
  const form = needed('dialog', HTMLFormElement);
  const text = needed('dialog-text', HTMLInputElement);
  const dismiss = needed('dialog-dismiss', HTMLButtonElement);
  let shown = '';
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    order({ type: 'dialog', accept: true, text: text.value });
  });
  dismiss.addEventListener('click', () => order({ type: 'dialog', accept: false, text: '' }));
  return (dialog) => {
    const now = JSON.stringify(dialog);
    // What somebody has typed into it meanwhile stays.
    if (now === shown) return;
    shown = now;
    const field = element('keys', HTMLTextAreaElement);
    const wasInside = form.contains(document.activeElement);
    form.hidden = dialog === null;
    if (dialog !== null) {
      const asked = fill(dialog, isInteractive);
      // The focus is taken only from whoever is typing into the page.
      if (field !== null && document.activeElement === field) asked.focus();
    } else if (wasInside) field?.focus({ preventScroll: true });
  };
}

/** Writes a dialog into the form; answers what is to be used first. */
function fill({ kind, message, suggestion }: LiveDialog, isInteractive: boolean): HTMLElement {
  const text = needed('dialog-text', HTMLInputElement);
  const accept = needed('dialog-accept', HTMLButtonElement);
  const question = kind === 'beforeunload' ? 'Leave the page? What was entered may be lost.' : message;
  needed('dialog-message', HTMLElement).textContent = question;
  text.value = suggestion;
  text.hidden = kind !== 'prompt' || !isInteractive;
  needed('dialog-dismiss', HTMLButtonElement).hidden = kind === 'alert' || !isInteractive;
  accept.hidden = !isInteractive;
  return text.hidden ? accept : text;
}
