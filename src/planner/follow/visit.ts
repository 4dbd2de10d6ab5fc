import { matchControls } from '../page/controls.ts';
import { nodesIn, type PageNode } from '#agent/page-node.ts';
import { getWords } from '../page/words.ts';
import { shortened } from '../step-summary.ts';
import { pick } from './pick.ts';
import { containsWords, openPage, pressNode, tryPage } from './press.ts';
import { impossibleAction, type Walker } from './walker.ts';

/** Generic words for kinds of elements. */
const kinds = new Set(
  getWords(
    'page site website board thread topic article post entry link button tab section menu item product file about list form details his her one',
  ),
);
/** Matches the labels of links that may have side effects, such as "Delete". */
const harmfulPattern = /log ?out|sign ?out|delete|remove|cancel|unsubscribe|buy|order now/i;
const pagesMax = 8;

/**
 * Returns the words of a phrase, without generic words such as "page". Returns all words if the phrase has only generic
 * words.
 */
export function getNames(what: string): readonly string[] {
  const words = getWords(what);
  const names = words.filter((word) => !kinds.has(word));
  return names.length > 0 ? names : words;
}

/**
 * Opens a page by its name: presses the link or button with this name. Without such a link or button, does nothing if
 * the current page has this name. Otherwise searches the pages to which the current page links, and rejects with a
 * TabError if this search fails.
 */
export async function visit(walker: Walker, what: string): Promise<void> {
  const isKind = getWords(what).every((word) => kinds.has(word));
  const words = isKind && walker.named.length > 0 ? walker.named : getNames(what);
  walker.named = words;
  const found = findWay(walker, words, what);
  if (found !== null) return pressNode(walker, found);
  if (isNamedPage(walker, words)) return;
  const later = await walker.lookFor(() => findWay(walker, words, what));
  if (later !== null) return pressNode(walker, later);
  await explore(walker, words, what);
}

/** Returns whether the title or a heading of the page contains all the words. */
export function isNamedPage(walker: Walker, words: readonly string[]): boolean {
  const headings = nodesIn(walker.page()).filter(({ role }) => role === 'heading');
  return [walker.title(), ...headings.map(({ name }) => name)].some((text) => containsWords(text, words));
}

function findWay(walker: Walker, words: readonly string[], what: string): PageNode | null {
  const links = matchControls(walker.page(), { words, roles: ['link', 'tab', 'menuitem'], useContext: false });
  if (links.length > 0) return pick(walker, links, what);
  return pick(walker, matchControls(walker.page(), { words, roles: ['button'], useContext: false }), what);
}

/**
 * Opens the pages to which this page links, one after the other. Stops at a page whose title or heading contains the
 * words. On a page with a link or button that contains the words, presses it and stops. If no page fits, returns to the
 * first page and rejects with a TabError.
 */
async function explore(walker: Walker, words: readonly string[], what: string): Promise<void> {
  const start = walker.url();
  for (const url of getSameSiteLinks(walker)) {
    if (!(await tryPage(walker, url))) continue;
    if (isNamedPage(walker, words)) return;
    const found = findWay(walker, words, what);
    if (found !== null) return pressNode(walker, found);
  }
  if (walker.url() !== start) await openPage(walker, start);
  throw impossibleAction(`I did not find the way to "${shortened(what)}".`);
}

/**
 * Returns the URLs of the same origin to which the page links, in order, at most `pagesMax`. Omits its own URL, invalid
 * URLs, and links that may change data, such as "Delete".
 */
export function getSameSiteLinks(walker: Pick<Walker, 'page' | 'url'>): string[] {
  const here = new URL(walker.url());
  const links = nodesIn(walker.page()).filter(({ role, name }) => role === 'link' && !harmfulPattern.test(name));
  const urls = links
    .flatMap(({ url }) => (url === null ? [] : (URL.parse(url, here.href) ?? [])))
    .filter(({ origin, href }) => origin === here.origin && href !== here.href);
  return [...new Set(urls.map(({ href }) => href))].slice(0, pagesMax);
}
