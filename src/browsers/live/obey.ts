import { isJsonObject } from '#lib/json.ts';
import type { LiveOrder } from '#contract/live-messages.ts';
import { selectedText } from './selected-text.ts';
import type { TabParts } from './stage-parts.ts';
import type { StageTab } from './tab-list.ts';

/** Carries out what a viewer orders; answers the selected text for `copy`, else null. Never rejects. */
export async function obey(parts: TabParts, order: LiveOrder, canResize: boolean): Promise<string | null> {
  const tab = parts.tabs.active();
  if (order.type === 'tab') bringToFront(parts, order.id);
  else if (order.type === 'newTab') await parts.ask(null, 'Target.createTarget', { url: 'about:blank' });
  else if (tab !== null) return obeyIn(parts, { tab, canResize }, order);
  return order.type === 'copy' ? '' : null;
}

async function obeyIn(
  parts: TabParts,
  { tab, canResize }: { readonly tab: StageTab; readonly canResize: boolean },
  order: Exclude<LiveOrder, { type: 'tab' | 'newTab' }>,
): Promise<string | null> {
  const { id, session, dialog } = tab;
  if (order.type === 'copy')
    return session === null ? '' : selectedText((method, params) => parts.ask(session, method, params));
  if (order.type === 'dialog') dialog?.answer(order.accept, order.text);
  else if (order.type === 'reload') void parts.ask(session, 'Page.reload');
  else if (order.type === 'navigate') void parts.ask(session, 'Page.navigate', { url: order.url });
  else if (order.type === 'back') await goBack(parts, session);
  else if (canResize) await resize(parts, id, order);
  return null;
}

/** Goes one entry back in the tab's history; does nothing at its first entry. */
async function goBack({ ask }: TabParts, session: string | null): Promise<void> {
  const { currentIndex, entries } = await ask(session, 'Page.getNavigationHistory');
  const earlier = Array.isArray(entries) && typeof currentIndex === 'number' ? entries[currentIndex - 1] : undefined;
  if (isJsonObject(earlier) && typeof earlier['id'] === 'number')
    void ask(session, 'Page.navigateToHistoryEntry', { entryId: earlier['id'] });
}

function bringToFront({ tabs, ask, changed }: TabParts, targetId: string): void {
  if (tabs.get(targetId) === undefined) return;
  void ask(null, 'Target.activateTarget', { targetId });
  tabs.toFront(targetId);
  changed();
}

/** The page gets the size, and its window whatever it needs around it. */
async function resize({ ask }: TabParts, targetId: string, size: { width: number; height: number }): Promise<void> {
  const { windowId } = await ask(null, 'Browser.getWindowForTarget', { targetId });
  const { width, height } = size;
  if (windowId !== undefined) await ask(null, 'Browser.setContentsSize', { windowId, width, height });
}
