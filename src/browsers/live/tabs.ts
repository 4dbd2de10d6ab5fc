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
  /** Returns the tab with that id, adding it if needed; a new tab comes to the front. */
  ensure(id: string): StageTab;
  get(id: string): StageTab | undefined;
  bySession(session: string): StageTab | undefined;
  remove(id: string): void;
  /** Brings a tab to the front; does nothing for an unknown id. */
  toFront(id: string): void;
  all(): StageTab[];
  /** Returns the open tab that was in front most recently, preferring visible tabs; null without a tab. */
  active(): StageTab | null;
}

/** Creates an empty list. */
export function createTabList(): TabList {
  const tabs = new Map<string, StageTab>();
  /** Ids in the order in which they came to the front, the latest last. */
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

const TITLE_LENGTH_MAX = 300;
const ADDRESS_LENGTH_MAX = 2_000;
const TABS_MAX = 100;

/**
 * Returns the state that viewers show: at most the newest `TABS_MAX` tabs, and the dialog and trouble of the foreground
 * tab.
 */
export function getScene(tabs: TabList, canResize: boolean): LiveScene {
  const active = tabs.active();
  return {
    tabs: tabs.all().slice(-TABS_MAX).map(shownTab),
    active: active?.id ?? null,
    dialog: active?.dialog?.shown ?? null,
    trouble: active === null ? null : getTrouble(active),
    canResize,
    isSimulated: false,
  };
}

function shownTab({ id, title, url }: StageTab): LiveTab {
  return { id, title: title.slice(0, TITLE_LENGTH_MAX), url: url.slice(0, ADDRESS_LENGTH_MAX) };
}

function getTrouble({ isCrashed, isHidden }: StageTab): LiveTrouble | null {
  if (isCrashed) return 'crashed';
  return isHidden ? 'background' : null;
}

/** Keeps the list of tabs up to date. */
export interface TabFollower {
  /** Handles an event of the browser or a page. The caller handles screencast frames itself. */
  take(event: CdpMessage): void;
  /** Resolves when every known tab is watched. */
  attached(): Promise<void>;
  /** Applies the state from before the first viewer. */
  recall(earlier: Earlier): Promise<void>;
  /** Reads titles and URLs again: no event reports a changed title. */
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
  /** Assigns an earlier dialog to its tab. A page with an open dialog does not respond, which identifies the tab. */
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

/** Returns the handlers of page events by the name of the event; each updates the state of the page's tab. */
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
 * Returns the id of the tab that a client brought to the front, or else of the newest tab. If the id of the newest tab
 * cannot be read, returns the id of the last tab with the same URL. Null without such a tab.
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

const KINDS = ['alert', 'confirm', 'prompt', 'beforeunload'] as const;
const MESSAGE_LENGTH_MAX = 2_000;

/**
 * Returns type, message and default text of a dialog, each text cut to 2,000 characters. An unknown type counts as
 * `alert`.
 */
export function readDialog(params: {
  readonly type?: unknown;
  readonly message?: unknown;
  readonly defaultPrompt?: unknown;
}): LiveDialog {
  const kind = KINDS.find((known) => known === params.type) ?? 'alert';
  return {
    kind,
    message: getText(params.message).slice(0, MESSAGE_LENGTH_MAX),
    suggestion: getText(params.defaultPrompt).slice(0, MESSAGE_LENGTH_MAX),
  };
}

function getText(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/**
 * Sends a command to a page, or to the browser for null. Resolves to an empty object on an error and at the end of the
 * browser.
 */
export type Ask = (session: string | null, method: string, params?: JsonObject) => Promise<JsonObject>;

/** State of a browser from before its first viewer. */
export interface Earlier {
  /** Possibly open dialogs with the URLs of their pages. */
  readonly dialogs: readonly { readonly url: string; readonly dialog: OpenDialog }[];
  /** Id of the tab that a client brought to the front after the newest tab was opened; null without such a tab. */
  readonly fronted: string | null;
  /** The newest tab. Reading its id is asynchronous and yields null while its page shows a dialog. */
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
