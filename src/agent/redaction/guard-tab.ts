import {
  OUTLINE_MAX,
  type PageSnapshot,
  type PageTable,
  type Tab,
  TabError,
  type TabDialogs,
  type TabList,
} from '#browsers/tab/tab.ts';
import { filled, typeWith } from './fill-in.ts';
import { guardElements } from './guard-elements.ts';
import { withValues } from './placeholder.ts';
import type { Redactor } from './redactor.ts';
import { safelyBy } from './safe-error.ts';
import type { TabGuard } from './tab-guard.ts';
import { shownLinks, uncut } from './uncut.ts';

/** As much of a page's text as a tab gives. */
const TEXT_MAX = 100_000;

/**
 * A tab that types values in place of their placeholders, and shows placeholders in place of values. Its errors carry no cause:
 * the words of whatever failed may hold what was being typed.
 */
export function guardTab(tab: Tab, guard: TabGuard): Tab {
  const { redactor } = guard;
  const safely = safelyBy(redactor);
  const texts = async (read: () => Promise<readonly string[]>): Promise<string[]> =>
    redactor.paced([...(await safely(read))]);
  const text = async (read: () => Promise<string>): Promise<string> => redactor.text(await safely(read));
  return {
    open: (url) => safely(() => open(tab, url, guard)),
    url: () => text(() => tab.url()),
    title: () => text(() => tab.title()),
    headings: () => texts(() => tab.headings()),
    links: async () => shownLinks(await safely(() => tab.links()), redactor),
    tables: async () => shownTables(await safely(() => tab.tables()), redactor),
    text: async () => uncut(await safely(() => tab.text()), TEXT_MAX, redactor),
    click: (name) => safely(() => tab.click(withValues(name, guard.secrets))),
    type: (field, wanted) =>
      safely(() => {
        const label = withValues(field, guard.secrets);
        return typeWith(guard, wanted, (value, isPlace) => tab.type(label, value, isPlace));
      }),
    press: (key) => safely(() => tab.press(key)),
    upload: (field, file) => safely(() => tab.upload(field === null ? null : withValues(field, guard.secrets), file)),
    download: (name) => text(() => tab.download(withValues(name, guard.secrets))),
    snapshot: () => safely(async () => shownSnapshot(await tab.snapshot(), redactor)),
    elements: guardElements(tab.elements, guard),
    tabs: guardTabList(tab.tabs, guard),
    dialogs: guardDialogs(tab.dialogs, guard),
    back: () => safely(() => tab.back()),
    waitFor: (wanted, state, timeoutMs) =>
      safely(() => tab.waitFor(withValues(wanted, guard.secrets), state, timeoutMs)),
    screenshot: () => safely(() => unseen(tab, guard)),
  };
}

/** Opens an address with the values in place of their placeholders, where it is one of their domains. */
async function open(tab: Tab, url: string, { secrets, onTyped }: TabGuard): Promise<void> {
  const values = filled(url, secrets);
  if (values === null) return tab.open(url);
  if (!values.isPlace(values.text)) throw new TabError(`Could not open ${url}: the secret may not be typed there.`);
  onTyped();
  return tab.open(values.text);
}

/** A picture cannot be redacted: there is none any more once a value was typed. */
async function unseen(tab: Tab, { hasTyped }: TabGuard): Promise<Uint8Array> {
  const picture = hasTyped() ? null : await tab.screenshot();
  // Another task of the browser may have typed one meanwhile.
  if (picture === null || hasTyped())
    throw new TabError('No picture can be taken: a secret was typed into this browser.');
  return picture;
}

async function shownTables(tables: readonly PageTable[], redactor: Redactor): Promise<PageTable[]> {
  const shown: PageTable[] = [];
  for (const { caption, header, rows } of tables)
    shown.push({
      caption: await redactor.paced(caption),
      header: await redactor.paced([...header]),
      rows: await redactor.paced(rows.map((row) => [...row])),
    });
  return shown;
}

async function shownSnapshot({ url, title, outline }: PageSnapshot, redactor: Redactor): Promise<PageSnapshot> {
  return {
    url: await redactor.paced(url),
    title: await redactor.paced(title),
    outline: await uncut(outline, OUTLINE_MAX, redactor),
  };
}

/** Dialogs whose messages show no value, and that take none: which page a dialog will come from is not known yet. */
function guardDialogs(dialogs: TabDialogs, { redactor, secrets }: TabGuard): TabDialogs {
  const safely = safelyBy(redactor);
  return {
    seen: async () =>
      (await safely(() => dialogs.seen())).map((dialog) => ({ ...dialog, message: redactor.text(dialog.message) })),
    answerNext: (answer) =>
      safely(async () => {
        if (answer !== null && filled(answer.text, secrets) !== null)
          throw new TabError('Secrets are not typed into dialogs: only into fields of a page.');
        await dialogs.answerNext(answer);
      }),
  };
}

/** A list of tabs whose titles and addresses show no value. */
function guardTabList(tabs: TabList, { redactor }: Pick<TabGuard, 'redactor'>): TabList {
  const safely = safelyBy(redactor);
  return {
    list: async () =>
      (await safely(() => tabs.list())).map((tab) => ({
        ...tab,
        url: redactor.text(tab.url),
        title: redactor.text(tab.title),
      })),
    show: (number) => safely(() => tabs.show(number)),
    close: (number) => safely(() => tabs.close(number)),
    add: () => safely(() => tabs.add()),
  };
}
