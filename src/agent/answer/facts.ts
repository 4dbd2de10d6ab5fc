import type { PageLink, PageTable, Tab } from '#browsers/tab/tab.ts';
import type { JsonObject, JsonValue } from '#lib/json.ts';
import type { Mail } from '../mailbox.ts';
import { type Reading, unreachable } from './plan.ts';

/** Values that were read during a task. A member is absent until its value was read. */
export interface Facts {
  title?: string;
  headings?: readonly string[];
  links?: readonly PageLink[];
  tables?: readonly PageTable[];
  text?: string;
  url?: string;
  /** Texts of all files read, in order, joined by line breaks. */
  file?: string;
  /** Paths of the listed files. */
  files?: readonly string[];
  /** The last mail that was awaited. */
  mail?: Mail;
  /** The last value read or listed, as text. The text of a task can refer to this value as "it". */
  latest?: string;
  /** Results of actions on files and mails, for the answer. */
  notes?: readonly string[];
}

/** Reads one kind of value from the page into the facts. */
export async function readFact(tab: Tab, what: Reading, facts: Facts): Promise<void> {
  switch (what) {
    case 'title':
      facts.title = await tab.title();
      break;
    case 'headings':
      facts.headings = await tab.headings();
      break;
    case 'links':
      facts.links = await tab.links();
      break;
    case 'tables':
      facts.tables = await tab.tables();
      break;
    case 'text':
      facts.text = await tab.text();
      break;
    case 'url':
      facts.url = await tab.url();
      break;
  }
}

/** Returns a fact as text: lists with one entry per line, table cells separated by " | ". */
export function factText(what: Reading, facts: Facts): string {
  switch (what) {
    case 'headings':
      return (facts.headings ?? []).join('\n');
    case 'links':
      return (facts.links ?? []).map(({ text, url }) => `${text} (${url})`).join('\n');
    case 'tables':
      return (facts.tables ?? []).map(tableText).join('\n\n');
    case 'title':
    case 'text':
    case 'url':
      return facts[what] ?? '';
    default:
      return unreachable(what);
  }
}

function tableText({ caption, header, rows }: PageTable): string {
  const lines = [header, ...rows].filter((cells) => cells.length > 0).map((cells) => cells.join(' | '));
  return [...(caption === null ? [] : [caption]), ...lines].join('\n');
}

/** Usual names of output members for each kind of value, in lower case and with letters and digits only. */
const names = {
  title: ['title', 'pagetitle'],
  heading: ['heading', 'mainheading', 'headline', 'h1'],
  headings: ['headings', 'headlines'],
  links: ['links'],
  urls: ['urls', 'hrefs'],
  link: ['link'],
  tables: ['tables'],
  table: ['table'],
  rows: ['rows'],
  text: ['text', 'content', 'body', 'pagetext'],
  url: ['url', 'pageurl', 'address', 'href'],
  file: ['file', 'filetext', 'filecontent', 'filecontents'],
  files: ['files', 'filenames', 'paths', 'filelist'],
  answer: ['answer', 'result', 'output', 'summary', 'message'],
} as const;

/** Function that returns the known value for the name of an output member; undefined without a known value. */
export type ByName = (name: string) => JsonValue | undefined;

/**
 * Returns a function that finds a fact or the answer by the name of an output member, such as the title by `pageTitle`.
 */
export function factsByName(facts: Facts, answer: string): ByName {
  const headings = copyTexts(facts.headings);
  const links = facts.links?.map(({ text, url }): JsonObject => ({ text, url }));
  const tables = facts.tables?.map(
    ({ caption, header, rows }): JsonObject => ({
      caption,
      header: [...header],
      rows: rows.map((row) => [...row]),
    }),
  );
  const values: Record<keyof typeof names, JsonValue | undefined> = {
    title: facts.title,
    heading: headings?.[0],
    headings,
    links,
    urls: links?.map(({ url }) => url ?? null),
    link: links?.[0],
    tables,
    table: tables?.[0],
    rows: tables?.[0]?.['rows'],
    text: facts.text,
    url: facts.url,
    file: facts.file,
    files: copyTexts(facts.files),
    answer,
  };
  const known = new Map<string, JsonValue | undefined>();
  for (const [meaning, value] of Object.entries(values)) {
    for (const name of getNames(meaning)) known.set(name, value);
  }
  return (name) => known.get(plain(name));
}

function copyTexts(texts: readonly string[] | undefined): string[] | undefined {
  return texts === undefined ? undefined : [...texts];
}

/**
 * Returns a function that finds a member of an object by its name, or by a synonym that `names` has for this name.
 * Ignores case and all characters except letters and digits.
 */
export function membersByName(object: JsonObject): ByName {
  const entries = Object.entries(object);
  const alike = entries.flatMap(([name, value]) => getNames(name).map((other) => [other, value] as const));
  const known = new Map([...alike, ...entries.map(([name, value]) => [plain(name), value] as const)]);
  return (name) => known.get(plain(name));
}

function getNames(meaning: string): readonly string[] {
  return Object.entries(names).find(([name]) => name === meaning)?.[1] ?? [];
}

function plain(name: string): string {
  return name.toLowerCase().replace(/[^a-z0-9]/g, '');
}
