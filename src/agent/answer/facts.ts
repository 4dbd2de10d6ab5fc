import type { Mail } from '../mailbox.ts';
import type { PageLink, PageTable, Tab } from '#browsers/tab/tab.ts';
import type { Reading } from './plan.ts';
import { unreachable } from './unreachable.ts';

/** What has been read so far; a member is absent until it was read. */
export interface Facts {
  title?: string;
  headings?: readonly string[];
  links?: readonly PageLink[];
  tables?: readonly PageTable[];
  text?: string;
  url?: string;
  /** Text of every file that was read, in that order. */
  file?: string;
  /** Paths of the files that were listed. */
  files?: readonly string[];
  /** The mail that was waited for last. */
  mail?: Mail;
  /** What was read or listed last, as text: what "it" means. */
  latest?: string;
  /** What became of files, one sentence each. */
  notes?: readonly string[];
}

/** Reads one thing from the page into the facts. */
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

/** One fact as text: lists with one entry a line, table cells separated by " | ". */
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
