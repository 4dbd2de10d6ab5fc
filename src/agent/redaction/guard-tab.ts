import {
  type OpenTab,
  outlineMax,
  type PageSnapshot,
  type PageTable,
  type Tab,
  type TabDialogs,
  type TabElements,
  TabError,
  type TabList,
} from '#browsers/tab/tab.ts';
import { type Redactor, safelyBy } from './redactor.ts';
import { isAllowedAddress } from '#contract/allowed-domains.ts';
import { type Secret, placeholderPattern, type Filled } from './secrets.ts';

/** Maximum number of characters of page text that a tab returns. */
const textMax = 100_000;

/**
 * Creates a tab that types secret values in place of placeholders and returns placeholders in place of values. Its
 * errors have no cause, because an underlying error may contain the typed value.
 */
export function guardTab(tab: Tab, guard: TabGuard): Tab {
  const { redactor } = guard;
  const safely = safelyBy(redactor);
  const texts = async (read: () => Promise<readonly string[]>): Promise<string[]> =>
    redactor.paced([...(await safely(read))]);
  const text = async (read: () => Promise<string>): Promise<string> => redactor.paced(await safely(read));
  return {
    open: (url) => safely(() => open(tab, url, guard)),
    url: () => text(() => tab.url()),
    title: () => text(() => tab.title()),
    headings: () => texts(() => tab.headings()),
    links: async () => shownLinks(await safely(() => tab.links()), redactor),
    tables: async () => shownTables(await safely(() => tab.tables()), redactor),
    text: async () => uncut(await safely(() => tab.text()), textMax, redactor),
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
    screenshot: (marked) => safely(() => unseen(tab, guard, marked)),
  };
}

/**
 * Opens a URL with secret values in place of placeholders. Rejects with a {@link TabError} if a secret is unknown, or
 * if the URL is outside of the domains of a secret.
 */
async function open(tab: Tab, url: string, { secrets, onTyped }: TabGuard): Promise<void> {
  const values = filled(url, secrets);
  if (values === null) return tab.open(url);
  if (!values.isPlace(values.text)) throw new TabError(`Could not open ${url}: the secret may not be typed there.`);
  onTyped();
  return tab.open(values.text);
}

/** Takes a screenshot. Rejects with a TabError once a secret was typed, because screenshots cannot be redacted. */
async function unseen(tab: Tab, { hasTyped }: TabGuard, marked?: readonly string[]): Promise<Uint8Array> {
  const picture = hasTyped() ? null : await tab.screenshot(marked);
  // Another task of the browser may have typed a secret meanwhile.
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
    outline: await uncut(outline, outlineMax, redactor),
  };
}

/**
 * Guards dialogs: messages show no secret values. An answer with a placeholder of a secret is refused, because the
 * answer is given before its dialog opens, on a page that is not yet known.
 */
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

/** Guards a list of tabs: titles and URLs show no secret values. */
function guardTabList(tabs: TabList, { redactor }: Pick<TabGuard, 'redactor'>): TabList {
  const safely = safelyBy(redactor);
  return {
    async list() {
      const shown: OpenTab[] = [];
      for (const tab of await safely(() => tabs.list()))
        shown.push({ ...tab, url: await redactor.paced(tab.url), title: await redactor.paced(tab.title) });
      return shown;
    },
    show: (number) => safely(() => tabs.show(number)),
    close: (number) => safely(() => tabs.close(number)),
    add: () => safely(() => tabs.add()),
  };
}

/** Guards elements: typed placeholders become secret values, and secret values in texts become placeholders. */
function guardElements(elements: TabElements, guard: TabGuard): TabElements {
  const { redactor, secrets } = guard;
  const safely = safelyBy(redactor);
  return {
    click: (ref, count) => safely(() => elements.click(ref, count)),
    hover: (ref) => safely(() => elements.hover(ref)),
    type: (ref, wanted) =>
      safely(() => typeWith(guard, wanted, (value, isPlace) => elements.type(ref, value, isPlace))),
    // No domains are checked, because the options of a list are already on its page.
    select: (ref, options) =>
      safely(() =>
        elements.select(
          ref,
          options.map((option) => withValues(option, secrets)),
        ),
      ),
    check: (ref, isChecked) => safely(() => elements.check(ref, isChecked)),
    press: (ref, key) => safely(() => elements.press(ref, key)),
    scroll: (ref, direction, pages) => safely(() => elements.scroll(ref, direction, pages)),
    text: async (ref) => uncut(await safely(() => elements.text(ref)), textMax, redactor),
    async describe(ref) {
      const { address, kind, target } = await safely(() => elements.describe(ref));
      return {
        address: redactor.text(address),
        kind: redactor.text(kind),
        target: target === null ? null : redactor.text(target),
      };
    },
    upload: (ref, file) => safely(() => elements.upload(ref, file)),
    download: async (ref) => redactor.text(await safely(() => elements.download(ref))),
  };
}

/** Returns links with placeholders in place of secret values. */
export async function shownLinks(links: readonly Link[], redactor: Redactor): Promise<Link[]> {
  const shown: Link[] = [];
  for (const { text, url } of links) shown.push({ text: await redactor.paced(text), url: await redactor.paced(url) });
  return shown;
}

/**
 * Redacts a text. A text of `max` characters was cut and may end within a secret value. Therefore as many characters as
 * the longest percent-encoded secret value has are removed from the end.
 */
async function uncut(given: string, max: number, redactor: Redactor): Promise<string> {
  const shown = await redactor.paced(given);
  return given.length < max ? shown : shown.slice(0, shown.length - redactor.longest);
}

/** A link of a page or a mail. */
interface Link {
  readonly text: string;
  readonly url: string;
}

/**
 * Returns a text with the placeholders of the given secrets replaced by their values; other placeholders stay. It does
 * not check domains: callers use the result to find an element, option or file, or check the page themselves.
 */
export function withValues(label: string, secrets: readonly Secret[]): string {
  return label.replaceAll(
    placeholderPattern,
    (whole, name: string) => secrets.find((one) => one.name === name)?.value ?? whole,
  );
}

/**
 * Returns a text with secret values in place of placeholders, and a check of the pages that may receive it; null
 * without placeholders. Throws a {@link TabError} for an unknown secret.
 */
function filled(wanted: string, secrets: readonly Secret[]): Filled | null {
  const named = Array.from(wanted.matchAll(placeholderPattern), ({ groups }) =>
    getSecret(groups?.['name'] ?? '', secrets),
  );
  if (named.length === 0) return null;
  const places = named.flatMap(({ domains }) => (domains === null ? [] : [domains]));
  return {
    text: withValues(wanted, named),
    isPlace: (address) => places.every((domains) => isOn(domains, address)),
  };
}

/** Types a text with secret values in place of placeholders, each value only on a page of its domains. */
async function typeWith(
  { secrets, onTyped }: TabGuard,
  wanted: string,
  type: (text: string, isPlace?: (address: string) => boolean) => Promise<void>,
): Promise<void> {
  const values = filled(wanted, secrets);
  if (values === null) return type(wanted);
  onTyped();
  return type(values.text, values.isPlace);
}

/** Dependencies of a guarded tab. */
export interface TabGuard {
  /** Secrets that may be typed. */
  readonly secrets: readonly Secret[];
  readonly redactor: Redactor;
  /** Called before a secret value is typed, because the page may show the value afterwards. */
  readonly onTyped: () => void;
  /** Returns whether a secret value was typed into the browser before, so that its pages may show this value. */
  readonly hasTyped: () => boolean;
}

function getSecret(name: string, secrets: readonly Secret[]): Secret {
  const found = secrets.find((secret) => secret.name === name);
  if (found !== undefined) return found;
  const names = secrets.map((secret) => `"${secret.name}"`).join(', ');
  throw new TabError(
    `There is no secret "${name}" for this task. ${names === '' ? 'The task has no secrets' : `There are: ${names}`}.`,
  );
}

/**
 * Returns whether a page is on one of the domains. A page without a host is on none of them, so a secret with domains
 * is not typed there.
 */
function isOn(domains: readonly string[], address: string): boolean {
  return URL.parse(address)?.hostname !== '' && isAllowedAddress(domains, address);
}
