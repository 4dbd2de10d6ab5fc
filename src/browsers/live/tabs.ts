import type { LiveDialog, LiveScene, LiveTab, LiveTrouble } from '#contract/live-messages.ts';
import { isJsonObject, type JsonObject } from '#lib/json.ts';
import type { HostLog } from '../host-log.ts';
import type { CdpMessage } from '../pipe/cdp-client.ts';
import type { CdpMux } from '../pipe/cdp-mux.ts';

/** State of a tab. */
export interface StageTab {
  readonly id: string;
  title: string;
  url: string;
  /** Id of the DevTools session that watches the tab; null before this session is attached. */
  session: string | null;
  isCrashed: boolean;
  /** Whether Chromium reported the tab as hidden. */
  isHidden: boolean;
  dialog: OpenDialog | null;
}

/** An open dialog and how to answer it. */
export interface OpenDialog {
  readonly shown: LiveDialog;
  /** Answers the dialog; never rejects. */
  answer(accept: boolean, text: string): void;
}

/** Tabs of a browser in the order of their creation, and which of them is in front. */
export interface TabList {
  /** Returns the tab with this id. Adds a tab if the id is unknown, and brings the new tab to the front. */
  ensure(id: string): StageTab;
  get(id: string): StageTab | undefined;
  bySession(session: string): StageTab | undefined;
  remove(id: string): void;
  /** Marks a tab as the foreground tab; does nothing for an unknown id. */
  toFront(id: string): void;
  all(): StageTab[];
  /**
   * Returns the foreground tab: the visible tab that came to the front last, or if all tabs are hidden, the tab that
   * came to the front last. Null without a tab.
   */
  active(): StageTab | null;
}

/** Creates an empty list. */
export function createTabList(): TabList {
  const tabs = new Map<string, StageTab>();
  /** Ids of the tabs in the order in which they last came to the front. */
  let order: string[] = [];
  const toFront = (id: string): void => {
    const tab = tabs.get(id);
    if (tab === undefined) return;
    tab.isHidden = false;
    order = [...order.filter((other) => other !== id), id];
  };
  return {
    ensure(id) {
      const known = tabs.get(id);
      if (known !== undefined) return known;
      const tab = { id, title: '', url: '', session: null, isCrashed: false, isHidden: false, dialog: null };
      tabs.set(id, tab);
      toFront(id);
      return tab;
    },
    get: (id) => tabs.get(id),
    bySession: (session) => [...tabs.values()].find((tab) => tab.session === session),
    remove(id) {
      tabs.delete(id);
      order = order.filter((other) => other !== id);
    },
    toFront,
    all: () => [...tabs.values()],
    active() {
      const ordered = order.toReversed().flatMap((id) => tabs.get(id) ?? []);
      return ordered.find(({ isHidden }) => !isHidden) ?? ordered[0] ?? null;
    },
  };
}

const titleLengthMax = 300;
const addressLengthMax = 2_000;
const tabsMax = 100;

/** Returns the state that viewers show: the newest tabs, and the dialog or problem of the foreground tab. */
export function getScene(tabs: TabList, canResize: boolean): LiveScene {
  const active = tabs.active();
  return {
    tabs: tabs.all().slice(-tabsMax).map(shownTab),
    active: active?.id ?? null,
    dialog: active?.dialog?.shown ?? null,
    trouble: active === null ? null : getTrouble(active),
    canResize,
    isSimulated: false,
  };
}

function shownTab({ id, title, url }: StageTab): LiveTab {
  return { id, title: title.slice(0, titleLengthMax), url: url.slice(0, addressLengthMax) };
}

function getTrouble({ isCrashed, isHidden }: StageTab): LiveTrouble | null {
  if (isCrashed) return 'crashed';
  return isHidden ? 'background' : null;
}

/** Keeps the list of tabs up to date. */
export interface TabFollower {
  /** Updates the tabs after an event of the browser or of a page. The caller handles `Page.screencastFrame` itself. */
  take(event: CdpMessage): void;
  /** Resolves when a DevTools session watches every known tab. */
  attached(): Promise<void>;
  /** Restores the open dialogs and the foreground tab of the time before the first viewer connected. */
  recall(earlier: Earlier): Promise<void>;
  /** Reads the titles and URLs of all tabs again. Needed because Chromium reports no change of a title. */
  refresh(): Promise<void>;
}

/** Watches every existing and new tab. */
export function followTabs({ tabs, ask, changed }: TabDeps): TabFollower {
  const attaching = new Map<string, Promise<void>>();
  const attach = async (tab: StageTab): Promise<void> => {
    const { sessionId } = await ask(null, 'Target.attachToTarget', { targetId: tab.id, flatten: true });
    if (typeof sessionId === 'string') tab.session = sessionId;
    // A crashed or unresponsive page may never answer these commands.
    void ask(tab.session, 'Page.enable');
    void ask(tab.session, 'Inspector.enable');
    attaching.delete(tab.id);
    changed();
  };
  const update = (params: JsonObject, isNew: boolean): void => {
    const info = readPageInfo(params);
    if (info === null) return;
    const tab = isNew ? tabs.ensure(info.id) : tabs.get(info.id);
    if (tab === undefined) return;
    Object.assign(tab, info);
    if (isNew) attaching.set(tab.id, attach(tab));
  };
  const onBrowser: Readonly<Record<string, (params: JsonObject, id: string) => void>> = {
    'Target.targetCreated': (params) => update(params, true),
    'Target.targetInfoChanged': (params) => update(params, false),
    'Target.targetCrashed': (_params, id) => crash(tabs.get(id)),
    'Target.targetDestroyed': (_params, id) => tabs.remove(id),
  };
  const onPage = pageEvents(ask);
  /**
   * Shows a dialog that opened before the first viewer in a tab with the URL of the dialog's page. If the page of the
   * tab answers a command, the dialog belongs to another page, and is removed again.
   */
  const recallDialog = (tab: StageTab, dialog: OpenDialog): void => {
    tab.dialog ??= dialog;
    void ask(tab.session, 'Runtime.evaluate', { expression: '0' }).then(() => {
      if (tab.dialog === dialog) tab.dialog = null;
      changed();
    });
  };
  return {
    take({ method = '', params = {}, sessionId }) {
      const tab = sessionId === undefined ? undefined : tabs.bySession(sessionId);
      const { targetId } = params;
      if (tab === undefined) onBrowser[method]?.(params, typeof targetId === 'string' ? targetId : '');
      else onPage[method]?.(tab, params);
      changed();
    },
    async attached() {
      await Promise.all(attaching.values());
    },
    async recall(earlier) {
      for (const { url, dialog } of earlier.dialogs)
        for (const tab of tabs.all().filter((one) => one.url === url)) recallDialog(tab, dialog);
      tabs.toFront((await getFront(tabs, earlier)) ?? '');
    },
    async refresh() {
      const { targetInfos } = await ask(null, 'Target.getTargets', { filter: [{ type: 'page' }] });
      for (const targetInfo of Array.isArray(targetInfos) ? targetInfos.filter(isJsonObject) : [])
        update({ targetInfo }, false);
      changed();
    },
  };
}

/** Returns a handler for each page event, by event name. The handler updates the state of the tab. */
function pageEvents(ask: Ask): Readonly<Record<string, (tab: StageTab, params: JsonObject) => void>> {
  return {
    'Page.screencastVisibilityChanged': (tab, { visible }) => void (tab.isHidden = visible === false),
    'Page.javascriptDialogClosed': (tab) => void (tab.dialog = null),
    'Page.javascriptDialogOpening': (tab, params) => {
      const answer = (accept: boolean, promptText: string): void =>
        void ask(tab.session, 'Page.handleJavaScriptDialog', { accept, promptText });
      tab.dialog = { shown: readDialog(params), answer };
    },
    'Inspector.targetCrashed': crash,
    'Inspector.targetReloadedAfterCrash': (tab) => void (tab.isCrashed = false),
  };
}

/**
 * Returns the id of the tab that was in front before the first viewer. This is the tab that a client brought to the
 * front, or else the newest tab. If the id of the newest tab cannot be read, it is the last tab with the same URL. Null
 * without such a tab.
 */
async function getFront(tabs: TabList, { fronted, newest }: Earlier): Promise<string | null> {
  if (fronted !== null || newest === null) return fronted;
  const twins = tabs.all().filter(({ url }) => url === newest.url);
  const found = twins.length === 1 ? null : await newest.id();
  return found ?? twins.at(-1)?.id ?? null;
}

function crash(tab: StageTab | undefined): void {
  if (tab === undefined) return;
  tab.isCrashed = true;
  tab.dialog = null;
}

/** A page as reported by `Target.targetCreated` and `Target.targetInfoChanged`. */
export interface PageInfo {
  readonly id: string;
  readonly title: string;
  readonly url: string;
}

/** Returns the page of a Target event; null for targets that are no tabs, such as prerendered pages. */
function readPageInfo({ targetInfo }: JsonObject): PageInfo | null {
  if (!isJsonObject(targetInfo) || targetInfo['type'] !== 'page' || targetInfo['subtype'] !== undefined) return null;
  const { targetId, title, url } = targetInfo;
  return typeof targetId === 'string' ? { id: targetId, title: getText(title), url: getText(url) } : null;
}

const kinds = ['alert', 'confirm', 'prompt', 'beforeunload'] as const;
const messageLengthMax = 2_000;

/**
 * Returns the type, message and default text of a dialog for viewers. Cuts each text to 2,000 characters. An unknown
 * type counts as `alert`.
 */
export function readDialog(params: {
  readonly type?: unknown;
  readonly message?: unknown;
  readonly defaultPrompt?: unknown;
}): LiveDialog {
  const kind = kinds.find((known) => known === params.type) ?? 'alert';
  return {
    kind,
    message: getText(params.message).slice(0, messageLengthMax),
    suggestion: getText(params.defaultPrompt).slice(0, messageLengthMax),
  };
}

function getText(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/**
 * Sends a command to the page with this DevTools session; for a null `session`, to the browser. Resolves to the result;
 * to an empty object on an error or when the browser ends.
 */
export type Ask = (session: string | null, method: string, params?: JsonObject) => Promise<JsonObject>;

/** State of a browser from before its first viewer. */
export interface Earlier {
  /** Dialogs that opened earlier and may still be open, each with the URL of its page. */
  readonly dialogs: readonly { readonly url: string; readonly dialog: OpenDialog }[];
  /** Id of the tab that a client brought to the front after the newest tab was opened; null without such a tab. */
  readonly fronted: string | null;
  /**
   * The newest tab; null without a tab. `id` reads its target id, and resolves to null while the page shows a dialog.
   */
  readonly newest: { readonly url: string; readonly id: () => Promise<string | null> } | null;
}

/** Dependencies of watching a browser. */
export interface StageDeps {
  readonly mux: CdpMux;
  /** Whether a viewer may resize the browser window. */
  readonly canResize: boolean;
  readonly earlier: () => Earlier;
  readonly log: HostLog;
}

/** Dependencies of watching the tabs of a browser. */
export interface TabDeps {
  readonly tabs: TabList;
  readonly ask: Ask;
  /** Called when the state of the tabs may have changed. */
  readonly changed: () => void;
}
