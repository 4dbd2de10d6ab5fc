import type { LiveDialog, LiveScene, LiveTab, LiveTrouble } from '#contract/live-messages.ts';

/** A tab as the stage keeps it. */
export interface StageTab {
  readonly id: string;
  title: string;
  url: string;
  /** The DevTools session that watches it; null until it is attached. */
  session: string | null;
  isCrashed: boolean;
  /** Whether Chromium has said that it is not in front of its window. */
  isHidden: boolean;
  dialog: OpenDialog | null;
}

/** A dialog with the way to answer it. */
export interface OpenDialog {
  readonly shown: LiveDialog;
  /** Answers it; never rejects. */
  answer(accept: boolean, text: string): void;
}

/** The tabs of a browser in the order of their making, and which of them is in front. */
export interface TabList {
  /** The tab of that id, made when there is none; a new one comes to the front. */
  ensure(id: string): StageTab;
  get(id: string): StageTab | undefined;
  bySession(session: string): StageTab | undefined;
  remove(id: string): void;
  /** Brings a tab to the front; without effect when there is none of that id. */
  toFront(id: string): void;
  all(): StageTab[];
  /** The tab that came to the front last and is still there, of those that are not hidden as long as there is one. */
  active(): StageTab | null;
}

/** An empty list. */
export function createTabList(): TabList {
  const tabs = new Map<string, StageTab>();
  /** The last one came to the front last. */
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

/** What viewers are told of the tabs. */
export function sceneOf(tabs: TabList, canResize: boolean): LiveScene {
  const active = tabs.active();
  return {
    tabs: tabs.all().slice(-TABS_MAX).map(shownTab),
    active: active?.id ?? null,
    dialog: active?.dialog?.shown ?? null,
    trouble: active === null ? null : troubleOf(active),
    canResize,
    isSimulated: false,
  };
}

function shownTab({ id, title, url }: StageTab): LiveTab {
  return { id, title: title.slice(0, TITLE_LENGTH_MAX), url: url.slice(0, ADDRESS_LENGTH_MAX) };
}

function troubleOf({ isCrashed, isHidden }: StageTab): LiveTrouble | null {
  if (isCrashed) return 'crashed';
  return isHidden ? 'background' : null;
}
