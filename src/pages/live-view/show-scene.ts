import type { LiveMode, LiveOrder, LiveScene, LiveTab, LiveDialog } from '#contract/live-messages.ts';
import { element, needed } from './elements.ts';
import { typedAddress } from './notice.ts';

/** The display of tabs, URL and dialog. */
export interface SceneView {
  show(scene: LiveScene): void;
}

/** Creates the display of tabs, URL and dialog. Only interactive viewers can use its buttons. */
export function createSceneView(mode: LiveMode, order: (order: LiveOrder) => void): SceneView {
  const isInteractive = mode === 'interactive';
  const tabs = needed('tabs', HTMLElement);
  const showAddress = isInteractive ? createAddressBar(order) : showAddressText;
  const fit = element('fit', HTMLButtonElement);
  const showDialog = createDialogView(isInteractive, order);
  const button = (tab: LiveTab, active: string | null): HTMLButtonElement => {
    const made = document.createElement('button');
    made.type = 'button';
    made.textContent = tab.title || tab.url || 'New tab';
    made.title = tab.url;
    made.disabled = !isInteractive;
    made.setAttribute('aria-pressed', String(tab.id === active));
    made.addEventListener('click', () => order({ type: 'tab', id: tab.id }));
    return made;
  };
  return {
    show(scene) {
      const front = scene.tabs.find(({ id }) => id === scene.active);
      const focused = [...tabs.children].indexOf(document.activeElement ?? tabs);
      tabs.hidden = scene.tabs.length < 2;
      tabs.replaceChildren(...scene.tabs.map((tab) => button(tab, scene.active)));
      const again = tabs.children[focused];
      if (again instanceof HTMLElement) again.focus();
      showAddress(front);
      document.title = front?.title ? `${front.title} – live` : 'Live browser';
      if (fit !== null) fit.hidden = !scene.canResize;
      showDialog(scene.dialog);
    },
  };
}

function showAddressText(front: LiveTab | undefined): void {
  const address = needed('address', HTMLElement);
  address.textContent = front?.url ?? '';
  address.title = front?.title ?? '';
}

/**
 * Connects the buttons and the URL field to commands. The returned function shows a tab's URL (empty without a tab),
 * except while the viewer is typing.
 */
function createAddressBar(order: (order: LiveOrder) => void): (front: LiveTab | undefined) => void {
  const address = needed('address', HTMLInputElement);
  let shown = '';
  let isEdited = false;
  const restore = (): void => {
    isEdited = false;
    address.setCustomValidity('');
    address.value = shown;
  };
  const on = (id: string, type: 'back' | 'reload' | 'newTab'): void =>
    needed(id, HTMLButtonElement).addEventListener('click', () => order({ type }));
  on('back', 'back');
  on('reload', 'reload');
  on('new-tab', 'newTab');
  address.addEventListener('focus', () => address.select());
  address.addEventListener('input', () => {
    isEdited = true;
    address.setCustomValidity('');
  });
  address.addEventListener('keydown', ({ key }) => key === 'Escape' && restore());
  needed('go', HTMLFormElement).addEventListener('submit', (event) => {
    event.preventDefault();
    const url = typedAddress(address.value);
    if (url === null) {
      address.setCustomValidity('This is not a web address. Type one such as example.com.');
      address.reportValidity();
      return;
    }
    order({ type: 'navigate', url });
    isEdited = false;
    needed('keys', HTMLTextAreaElement).focus({ preventScroll: true });
  });
  return (front) => {
    shown = front?.url === 'about:blank' ? '' : (front?.url ?? '');
    address.title = front?.title ?? '';
    if (!isEdited) address.value = shown;
  };
}

/** Shows the dialog of the watched page; null for none. */
type DialogView = (dialog: LiveDialog | null) => void;

/** Creates the display of dialogs. Only viewers with control can answer them. */
function createDialogView(isInteractive: boolean, order: (order: LiveOrder) => void): DialogView {
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
    // An unchanged dialog is not filled again, so that text that the viewer has typed stays.
    if (now === shown) return;
    shown = now;
    const field = element('keys', HTMLTextAreaElement);
    const wasInside = form.contains(document.activeElement);
    form.hidden = dialog === null;
    if (dialog !== null) {
      const asked = fill(dialog, isInteractive);
      // The focus is taken only from the field for typing into the page.
      if (field !== null && document.activeElement === field) asked.focus();
    } else if (wasInside) field?.focus({ preventScroll: true });
  };
}

/** Fills the form of a dialog; returns the element to focus. */
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
