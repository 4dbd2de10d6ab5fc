import type { LiveOrder, LiveScene } from '#contract/live-messages.ts';
import type { CdpMessage } from '../pipe/cdp-client.ts';
import { openCommandChannel } from '../pipe/command-channel.ts';
import { createCast } from './cast.ts';
import { type Ask, createTabList, followTabs, getScene, type StageDeps, type StageTab, type TabDeps } from './tabs.ts';
import type { LivePicture } from './live-viewer.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '#lib/json.ts';

/** Maximum length of copied text; longer selections are cut. */
const textLengthMax = 500_000;
/**
 * Name of the isolated JavaScript world in which the selection is read, so that scripts of the page cannot change the
 * result.
 */
const worldName = 'svc-live-view';
/**
 * Script that returns the selected text of the page, or of its focused frame of the same origin. For a password field,
 * the text consists of bullets.
 */
const expression = `(() => {
  let view = window;
  for (;;) {
    const inner = view.document.activeElement;
    if (!inner || !inner.contentDocument) break;
    view = inner.contentWindow;
  }
  return String(view.getSelection()).slice(0, ${textLengthMax});
})()`;

/** Listener for frames and changes of the tabs. */
export interface StageListener {
  picture(picture: LivePicture): void;
  scene(scene: LiveScene): void;
  isWanted(): boolean;
}

/**
 * Observer of a browser's tabs, with a screencast of the foreground tab. Exists only while the live view has viewers.
 */
export interface Stage {
  scene(): LiveScene;
  /** Returns the latest frame of the foreground tab; null when no frame has arrived. */
  picture(): LivePicture | null;
  /** Returns the foreground tab; null without a tab. */
  active(): StageTab | null;
  /** Notes that a client brought a tab to the front. */
  toFront(id: string): void;
  wanted(): void;
  readonly ask: Ask;
  /**
   * Executes a viewer's order, such as `reload` or `copy`. Resolves to the selected text for `copy`, and to null for
   * other orders.
   */
  order(order: LiveOrder): Promise<string | null>;
  close(): Promise<void>;
}

const titleIntervalMs = 1_000;
/** Page events after which the page may look different. */
const loads: ReadonlySet<string> = new Set(['Page.domContentEventFired', 'Page.loadEventFired']);

/**
 * Opens the stage: attaches to all tabs of a browser, without changing their focus, and starts the screencast. Rejects
 * when the browser has ended.
 */
export async function openStage(deps: StageDeps, listener: StageListener): Promise<Stage> {
  const tabs = createTabList();
  let [told, isOpen] = ['', false];
  const channel = await openCommandChannel(deps.mux, (event) => onEvent(event));
  const ask: Ask = async (session, method, params = {}) => {
    const reply = await channel.ask({ method, params, ...(session === null ? {} : { sessionId: session }) });
    return reply.result ?? {};
  };
  const cast = createCast({
    // `ask` does not reject.
    command: (session, method, params) => void ask(session, method, params),
    show: (picture) => listener.picture(picture),
    isWanted: () => listener.isWanted(),
  });
  const changed = (): void => {
    // No frame is shown before the foreground tab is known.
    if (!isOpen) return;
    cast.follow(tabs.active()?.session ?? null);
    const scene = getScene(tabs, deps.canResize);
    const text = JSON.stringify(scene);
    if (text === told) return;
    told = text;
    listener.scene(scene);
  };
  const follower = followTabs({ tabs, ask, changed });
  const onEvent = (event: CdpMessage): void => {
    const { method = '', sessionId = '', params = {} } = event;
    if (method === 'Page.screencastFrame') return cast.take(sessionId, params);
    if (loads.has(method)) cast.loaded(sessionId);
    follower.take(event);
  };

  await ask(null, 'Target.setDiscoverTargets', { discover: true, filter: [{ type: 'page' }] });
  await follower.attached();
  await follower.recall(deps.earlier());
  isOpen = true;
  changed();
  const titles = setInterval(() => void follower.refresh(), titleIntervalMs);
  return {
    scene: () => getScene(tabs, deps.canResize),
    picture: () => cast.last(),
    active: () => tabs.active(),
    toFront(id) {
      tabs.toFront(id);
      changed();
    },
    wanted: () => cast.wanted(),
    ask,
    order: (order) => executeOrder({ tabs, ask, changed }, order, deps.canResize),
    async close() {
      clearInterval(titles);
      cast.follow(null);
      await channel.close();
    },
  };
}

/**
 * Executes a viewer's order in the foreground tab or the browser. Resolves to the selected text for `copy`, and to null
 * for other orders. Never rejects.
 */
async function executeOrder(deps: TabDeps, order: LiveOrder, canResize: boolean): Promise<string | null> {
  const tab = deps.tabs.active();
  if (order.type === 'tab') bringToFront(deps, order.id);
  else if (order.type === 'newTab') await deps.ask(null, 'Target.createTarget', { url: 'about:blank' });
  else if (tab !== null) return handleInTab(deps, { tab, canResize }, order);
  return order.type === 'copy' ? '' : null;
}

async function handleInTab(
  deps: TabDeps,
  { tab, canResize }: { readonly tab: StageTab; readonly canResize: boolean },
  order: Exclude<LiveOrder, { type: 'tab' | 'newTab' }>,
): Promise<string | null> {
  const { id, session, dialog } = tab;
  if (order.type === 'copy')
    return session === null ? '' : selectedText((method, params) => deps.ask(session, method, params));
  if (order.type === 'dialog') dialog?.answer(order.accept, order.text);
  else if (order.type === 'reload') void deps.ask(session, 'Page.reload');
  else if (order.type === 'navigate') void deps.ask(session, 'Page.navigate', { url: order.url });
  else if (order.type === 'back') await goBack(deps, session);
  else if (canResize) await resize(deps, id, order);
  return null;
}

/** Navigates a tab to the previous entry of its history; does nothing at the first entry. */
async function goBack({ ask }: TabDeps, session: string | null): Promise<void> {
  const { currentIndex, entries } = await ask(session, 'Page.getNavigationHistory');
  const earlier = Array.isArray(entries) && typeof currentIndex === 'number' ? entries[currentIndex - 1] : undefined;
  if (isJsonObject(earlier) && typeof earlier['id'] === 'number')
    void ask(session, 'Page.navigateToHistoryEntry', { entryId: earlier['id'] });
}

function bringToFront({ tabs, ask, changed }: TabDeps, targetId: string): void {
  if (tabs.get(targetId) === undefined) return;
  void ask(null, 'Target.activateTarget', { targetId });
  tabs.toFront(targetId);
  changed();
}

/** Sets the size of a tab's page in CSS pixels, and adapts the browser window. */
async function resize({ ask }: TabDeps, targetId: string, size: { width: number; height: number }): Promise<void> {
  const { windowId } = await ask(null, 'Browser.getWindowForTarget', { targetId });
  const { width, height } = size;
  if (windowId !== undefined) await ask(null, 'Browser.setContentsSize', { windowId, width, height });
}

/** Returns the selected text of a page; an empty string without a selection, or when the browser has ended. */
async function selectedText(ask: (method: string, params?: JsonObject) => Promise<JsonObject>): Promise<string> {
  const frame = getMember(getMember(await ask('Page.getFrameTree'), 'frameTree'), 'frame');
  const frameId = getMember(frame, 'id') ?? '';
  const world = await ask('Page.createIsolatedWorld', { frameId, worldName: worldName });
  const contextId = getMember(world, 'executionContextId') ?? 0;
  const value = getMember(
    getMember(await ask('Runtime.evaluate', { expression: expression, contextId }), 'result'),
    'value',
  );
  return typeof value === 'string' ? value.slice(0, textLengthMax) : '';
}

function getMember(value: JsonObject | JsonValue | undefined, name: string): JsonValue | undefined {
  return isJsonObject(value) ? value[name] : undefined;
}
