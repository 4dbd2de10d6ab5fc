import { needed } from './elements.ts';

/** The panel for text on its way between the page and the viewer. */
export interface TextPanel {
  /** Puts text on the viewer's clipboard, else shows it for copying by hand. */
  hand(text: string): Promise<void>;
  open(): void;
}

/** Opens and closes the panel; `send` gets what the viewer gives to the page. */
export function createTextPanel(send: (text: string) => void): TextPanel {
  const panel = needed('panel', HTMLFormElement);
  const title = needed('panel-title', HTMLElement);
  const text = needed('panel-text', HTMLTextAreaElement);
  const sendButton = needed('panel-send', HTMLButtonElement);
  let opener: Element | null = null;
  const show = (heading: string, value: string, canSend: boolean): void => {
    opener = document.activeElement;
    title.textContent = heading;
    text.value = value;
    sendButton.hidden = !canSend;
    panel.hidden = false;
    text.focus();
    text.select();
  };
  const close = (): void => {
    panel.hidden = true;
    if (opener instanceof HTMLElement) opener.focus();
  };
  panel.addEventListener('submit', (event) => {
    event.preventDefault();
    if (text.value !== '') send(text.value);
    close();
  });
  panel.addEventListener('keydown', ({ key }) => key === 'Escape' && close());
  needed('panel-close', HTMLButtonElement).addEventListener('click', close);
  return {
    async hand(given) {
      if (given === '') return;
      try {
        await navigator.clipboard.writeText(given);
      } catch {
        // A frame of another page may not use the clipboard unless that page allows it.
        show('Copied text', given, false);
      }
    },
    open: () => show('Send text to the page', '', true),
  };
}
