import { isAllowedAddress } from '#domain/allowed-domains.ts';
import { type Tab, TabError } from '../agent/tab.ts';
import { PLACEHOLDER, withValues } from './placeholder.ts';
import type { Redactor } from './redactor.ts';
import { safelyBy } from './safe-error.ts';
import type { Secret } from './secret.ts';

/** What a guarded tab works with. */
export interface TabGuard {
  /** What may be typed. */
  readonly secrets: readonly Secret[];
  readonly redactor: Redactor;
  /** Called before a value is typed: from now on the page may show it. */
  readonly onTyped: () => void;
}

/**
 * A tab that types values in place of their placeholders, and shows placeholders in place of values. Its errors carry no cause:
 * the words of whatever failed may hold what was being typed.
 */
export function guardTab(tab: Tab, guard: TabGuard): Tab {
  const { redactor } = guard;
  const safely = safelyBy(redactor);
  const texts = async (read: () => Promise<readonly string[]>): Promise<string[]> =>
    (await safely(read)).map((text) => redactor.text(text));
  const text = async (read: () => Promise<string>): Promise<string> => redactor.text(await safely(read));
  return {
    open: (url) => safely(() => open(tab, url, guard)),
    url: () => text(() => tab.url()),
    title: () => text(() => tab.title()),
    headings: () => texts(() => tab.headings()),
    links: async () =>
      (await safely(() => tab.links())).map((link) => ({
        text: redactor.text(link.text),
        url: redactor.text(link.url),
      })),
    tables: async () =>
      (await safely(() => tab.tables())).map(({ caption, header, rows }) => ({
        caption: caption === null ? null : redactor.text(caption),
        header: header.map((cell) => redactor.text(cell)),
        rows: rows.map((row) => row.map((cell) => redactor.text(cell))),
      })),
    text: async () => uncut(await safely(() => tab.text()), redactor),
    click: (name) => safely(() => tab.click(withValues(name, guard.secrets))),
    type: (field, wanted) => safely(() => type(tab, { field, wanted }, guard)),
    press: (key) => safely(() => tab.press(key)),
    upload: (field, file) => safely(() => tab.upload(field === null ? null : withValues(field, guard.secrets), file)),
    download: (name) => text(() => tab.download(withValues(name, guard.secrets))),
  };
}

/** As much of a page's text as a tab gives. */
const TEXT_MAX = 100_000;

/** A text that was cut off may end within a value: so much of its end is left out as the longest value has. */
function uncut(given: string, redactor: Redactor): string {
  const shown = redactor.text(given);
  return given.length < TEXT_MAX ? shown : shown.slice(0, shown.length - redactor.longest);
}

/** A text with the values in place of its placeholders, and where they may go; null for a text without any. */
function filled(
  wanted: string,
  secrets: readonly Secret[],
): { readonly text: string; readonly isPlace: (address: string) => boolean } | null {
  const named = Array.from(wanted.matchAll(PLACEHOLDER), ({ groups }) => secretOf(groups?.['name'] ?? '', secrets));
  if (named.length === 0) return null;
  const places = named.flatMap(({ domains }) => (domains === null ? [] : [domains]));
  return {
    text: withValues(wanted, named),
    isPlace: (address) => places.every((domains) => isOn(domains, address)),
  };
}

/** Types a text with the values in place of their placeholders; each value only on a page of its domains. */
async function type(
  tab: Tab,
  { field, wanted }: { readonly field: string; readonly wanted: string },
  { secrets, onTyped }: TabGuard,
): Promise<void> {
  const values = filled(wanted, secrets);
  const label = withValues(field, secrets);
  if (values === null) return tab.type(label, wanted);
  onTyped();
  return tab.type(label, values.text, values.isPlace);
}

/** Opens an address with the values in place of their placeholders, where it is one of their domains. */
async function open(tab: Tab, url: string, { secrets, onTyped }: TabGuard): Promise<void> {
  const values = filled(url, secrets);
  if (values === null) return tab.open(url);
  if (!values.isPlace(values.text)) throw new TabError(`Could not open ${url}: the secret may not be typed there.`);
  onTyped();
  return tab.open(values.text);
}

function secretOf(name: string, secrets: readonly Secret[]): Secret {
  const found = secrets.find((secret) => secret.name === name);
  if (found !== undefined) return found;
  const names = secrets.map((secret) => `"${secret.name}"`).join(', ');
  throw new TabError(
    `There is no secret "${name}" for this task. There ${names === '' ? 'is none' : `are: ${names}`}.`,
  );
}

/** A page without a host comes from no domain: a secret that is bound to some is not typed there. */
function isOn(domains: readonly string[], address: string): boolean {
  return URL.parse(address)?.hostname !== '' && isAllowedAddress(domains, address);
}
