import type { JsonObject } from '#lib/json.ts';
import { isJsonObject } from '#lib/json.ts';
import type { CdpMessage } from '../pipe/cdp-message.ts';
import { readDialog, readPageInfo } from './read-tab-event.ts';
import type { Earlier, TabParts } from './stage-parts.ts';
import type { OpenDialog, StageTab, TabList } from './tab-list.ts';

/** Keeps the list of tabs in step with the browser. */
export interface TabFollower {
  /** Takes an event of the browser or of a page; pictures are none of its business. */
  take(event: CdpMessage): void;
  /** Settles when every tab that is known is watched. */
  attached(): Promise<void>;
  /** Takes what was known before anybody watched. */
  recall(earlier: Earlier): Promise<void>;
  /** Reads titles and addresses anew: no event tells that a page has changed its title. */
  refresh(): Promise<void>;
}

/** Watches each tab that there is and that comes. */
export function followTabs({ tabs, ask, changed }: TabParts): TabFollower {
  const attaching = new Map<string, Promise<void>>();
  const attach = async (tab: StageTab): Promise<void> => {
    const { sessionId } = await ask(null, 'Target.attachToTarget', { targetId: tab.id, flatten: true });
    if (typeof sessionId === 'string') tab.session = sessionId;
    // A page that crashed or hangs may never answer these.
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
  const onPage: Readonly<Record<string, (tab: StageTab, params: JsonObject) => void>> = {
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
  /** Nobody tells whose it is, nor that it was answered before. But a page answers nothing as long as it shows one. */
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
      tabs.toFront((await frontOf(tabs, earlier)) ?? '');
    },
    async refresh() {
      const { targetInfos } = await ask(null, 'Target.getTargets', { filter: [{ type: 'page' }] });
      for (const targetInfo of Array.isArray(targetInfos) ? targetInfos.filter(isJsonObject) : [])
        update({ targetInfo }, false);
      changed();
    },
  };
}

/** The tab that was in front; of several with the address of the newest the last, where it cannot be found out. */
async function frontOf(tabs: TabList, { fronted, newest }: Earlier): Promise<string | null> {
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
