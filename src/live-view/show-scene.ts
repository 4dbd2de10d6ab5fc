import type { LiveMode, LiveOrder, LiveScene, LiveTab } from '#domain/live-messages.ts';
import { element, needed } from './elements.ts';
import { createDialogView } from './show-dialog.ts';

/** What shows tabs, address and dialog. */
export interface SceneView {
  show(scene: LiveScene): void;
}

/** Shows what surrounds the picture; only whoever may work in the page can press anything. */
export function createSceneView(mode: LiveMode, order: (order: LiveOrder) => void): SceneView {
  const isInteractive = mode === 'interactive';
  const tabs = needed('tabs', HTMLElement);
  const address = needed('address', HTMLElement);
  const badge = needed('badge', HTMLElement);
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
      address.textContent = front?.url ?? '';
      address.title = front?.title ?? '';
      document.title = front?.title ? `${front.title} – live` : 'Live browser';
      if (scene.isSimulated) badge.textContent = 'Simulated browser: nothing you do has an effect';
      if (fit !== null) fit.hidden = !scene.canResize;
      showDialog(scene.dialog);
    },
  };
}
