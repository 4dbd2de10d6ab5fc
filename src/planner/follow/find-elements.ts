import { matchControls } from '../page/controls.ts';
import { nodesIn, type PageNode, getText } from '#agent/page-node.ts';
import { getWords } from '../page/words.ts';
import { shortened } from '../step-summary.ts';
import { enter, setField } from './fill.ts';
import { pick } from './pick.ts';
import { findPressable, containsWords, press, pressNode, seeAnswer } from './press.ts';
import { isNamedPage, getNames } from './visit.ts';
import { impossibleAction, type Walker } from './walker.ts';

const scrollsMax = 60;
const pressesMax = 24;

/** Fills the search field of the page and submits it. */
export async function search(walker: Walker, text: string): Promise<void> {
  const field = await walker.lookFor(() => searchField(walker));
  if (field === null) throw impossibleAction('There is nothing to search with on the page.');
  await enter(walker, field, text);
  walker.named = getWords(text);
  const before = walker.page();
  const ref = field.ref ?? '';
  await walker.act({
    summary: 'Pressed Enter',
    action: { kind: 'press', key: 'Enter' },
    run: (tab) => tab.elements.press(ref, 'Enter'),
    ref: null,
  });
  walker.touched = null;
  await walker.lookFor((page) => (getText(page) === getText(before) ? null : page));
  await seeAnswer(walker, before);
}

function searchField(walker: Walker): PageNode | null {
  const inside = nodesIn(walker.page())
    .filter(({ role }) => role === 'search')
    .flatMap(nodesIn);
  const own = [...inside, ...nodesIn(walker.page()).filter(({ role }) => role === 'searchbox')];
  const [first] = own.filter(({ role }) => role === 'searchbox' || role === 'textbox');
  return (
    first ??
    pick(
      walker,
      matchControls(walker.page(), { words: getWords('search'), roles: ['textbox', 'combobox'], useContext: false }),
      'search',
    )
  );
}

/**
 * Scrolls down until the page shows an element that contains all words of `until`. Rejects with a TabError if the end
 * of the page is reached before. For null, scrolls once.
 */
export async function scroll(walker: Walker, until: string | null): Promise<void> {
  const words = until === null ? [] : getNames(until);
  walker.named = words;
  let still = 0;
  for (let scrolls = 0; scrolls < scrollsMax; scrolls += 1) {
    const found = words.length === 0 ? null : smallest(walker.page(), words);
    if (found !== null) return void (walker.touched = found.ref);
    if (scrolls > 0 && words.length === 0) return;
    const before = getText(walker.page());
    await walker.act({
      summary: 'Scrolled down',
      action: { kind: 'press', key: 'End' },
      run: (tab) => tab.elements.scroll(null, 'down', 5),
    });
    const isMore = await walker.lookFor((page) => (getText(page) === before ? null : page));
    still = isMore === null ? still + 1 : 0;
    if (still > 1) break;
  }
  if (words.length > 0) throw impossibleAction(`I scrolled to the end and did not find "${shortened(until ?? '')}".`);
}

/** Returns the part of the page with the least text that contains all the words; null if no part does. */
function smallest(page: PageNode, words: readonly string[]): PageNode | null {
  const parts = nodesIn(page).filter(
    (node) =>
      /^(?:article|listitem|row|paragraph|heading|link|cell|region)$/.test(node.role) &&
      containsWords(getText(node), words),
  );
  const [first] = parts.toSorted((a, b) => getText(a).length - getText(b).length);
  return first ?? null;
}

/**
 * Presses a control repeatedly until the page shows a text. Rejects with a TabError if it does not after `pressesMax`
 * presses.
 */
export async function pressUntil(walker: Walker, what: string, until: string): Promise<void> {
  const words = getWords(until);
  for (let presses = 0; presses < pressesMax; presses += 1) {
    if (nodesIn(walker.page()).some((node) => node.children.length === 0 && containsWords(getText(node), words)))
      return;
    await press(walker, what, null);
  }
  throw impossibleAction(
    `I pressed "${shortened(what)}" ${pressesMax} times and did not come to "${shortened(until)}".`,
  );
}

/**
 * Puts a product into the shopping basket. If the page does not show the product, searches for it. Rejects with a
 * TabError if the product or the button is not found.
 */
export async function putInBasket(walker: Walker, what: string, quantity: number): Promise<void> {
  const words = getWords(what);
  if (words.length > 0 && !isNamedPage(walker, words)) {
    const here = productLink(walker, words, what);
    if (here === null) await search(walker, what);
    const link = here ?? (await walker.lookFor(() => productLink(walker, words, what)));
    if (link === null) throw impossibleAction(`I did not find "${shortened(what)}".`);
    await pressNode(walker, link);
  }
  if (quantity !== 1) await setField(walker, 'quantity', String(quantity));
  const button = await walker.lookFor(() => basketButton(walker));
  if (button === null) throw impossibleAction('There is no button that puts it in the basket.');
  await pressNode(walker, button);
}

function productLink(walker: Walker, words: readonly string[], what: string): PageNode | null {
  return pick(walker, matchControls(walker.page(), { words, roles: ['link'], useContext: false }), what);
}

function basketButton(walker: Walker): PageNode | null {
  return (
    findPressable(walker, 'add basket', null) ??
    pick(walker, matchControls(walker.page(), { words: ['basket'], roles: ['button'], useContext: false }), 'basket')
  );
}
