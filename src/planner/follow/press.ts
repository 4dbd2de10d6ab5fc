import { TabError } from '#browsers/tab/tab.ts';
import { choosable, matchControls, pressable } from '../page/controls.ts';
import { nodesIn, type PageNode, getText } from '#agent/page-node.ts';
import { getWords } from '../page/words.ts';
import { shortened } from '../step-summary.ts';
import { getControlName, enclosing, pick } from './pick.ts';
import { impossibleAction, type Walker } from './walker.ts';

const clickable = [...pressable, ...choosable.filter((role) => role !== 'option')];
const pronounPattern = /^(?:it|this|that|them|there|(?:her|his|its|their|the)(?:\s+(?:name|post|row|entry|item))?)$/i;

/** Opens a page while searching for something. Returns false if the page cannot be opened. */
export async function tryPage(walker: Walker, url: string): Promise<boolean> {
  try {
    await openPage(walker, url);
    return true;
  } catch (error) {
    if (error instanceof TabError) return false;
    throw error;
  }
}

/**
 * Presses the button, link or other control that matches the name `what`. If `near` is not null, considers only
 * controls in a part of the page that contains all words of `near`, and prefers the control in the smallest such part.
 * If `near` is a pronoun ("it"), the words of `walker.named` are used; without such words, all controls are considered.
 * Rejects with a TabError if no control remains, or if several equally good controls remain.
 */
export async function press(walker: Walker, what: string, near: string | null): Promise<void> {
  const found = await walker.lookFor(() => findPressable(walker, what, near));
  if (found === null) throw impossibleAction(`There is no "${shortened(what)}" to press on the page.`);
  await pressNode(walker, found);
}

/**
 * Returns the button, link or other control that matches the name `what`. Uses `near` as {@link press} does. Returns
 * null if no control remains; throws a TabError if several equally good controls remain.
 */
export function findPressable(walker: Walker, what: string, near: string | null): PageNode | null {
  const fits = matchControls(walker.page(), { words: getWords(what), roles: clickable, useContext: false });
  if (near === null) return pick(walker, fits, what);
  const words = pronounPattern.test(near.trim()) ? walker.named : getWords(near);
  if (words.length === 0)
    return pick(
      walker,
      fits.map((fit) => ({ ...fit, distance: 0 })),
      what,
    );
  const placed = fits.flatMap((fit) => {
    const holder = enclosing(fit.node, (text) => containsWords(text, words));
    return holder === null ? [] : [{ node: fit.node, distance: getText(holder).length }];
  });
  return pick(
    walker,
    placed.toSorted((a, b) => a.distance - b.distance),
    `${what}" by "${near}`,
  );
}

/** Returns whether a text contains all the words. */
export function containsWords(text: string, words: readonly string[]): boolean {
  const has = new Set(getWords(text));
  return words.every((word) => has.has(word));
}

/**
 * Presses a control. Rejects with a TabError unless the page then changes without showing an error message. Also
 * rejects for a disabled control, and for a control that an `avoid` directive forbids.
 */
export async function pressNode(walker: Walker, node: PageNode): Promise<void> {
  const name = getControlName(node);
  if (node.flags.has('disabled')) throw impossibleAction(`"${shortened(name)}" cannot be pressed: it is disabled.`);
  const words = getWords(name);
  if (walker.avoided.some((avoided) => avoided.length > 0 && avoided.every((word) => words.includes(word))))
    throw impossibleAction(`I would have to press "${shortened(name)}", which is not to be done.`);
  const before = walker.page();
  const address = walker.url();
  const ref = node.ref ?? '';
  await walker.act({
    summary: `Clicked "${shortened(name)}"`,
    action: { kind: 'click', name },
    run: (tab) => tab.elements.click(ref),
    ref,
  });
  const shown = shownBy(before);
  const changed = await walker.lookFor((page) => (shownBy(page) !== shown || walker.url() !== address ? page : null));
  if (changed === null) throw impossibleAction(`Nothing came of pressing "${shortened(name)}".`);
  await settle(walker, before);
  await seeAnswer(walker, before);
}

const busyPattern = /\b(?:sending|saving|submitting|checking|please wait|one moment)\b/gi;

/**
 * Maximum number of waits while the page shows that it is busy, for example "Saving". Each wait takes up to
 * `lookForMs`.
 */
const busyRoundsMax = 5;

/**
 * Waits until two observations of the page are equal and the page shows no new text such as "Saving". Rejects with a
 * TabError if the page still shows such a text after the last wait. If the page only keeps changing, for example
 * because of a clock, stops waiting.
 */
async function settle(walker: Walker, before: PageNode): Promise<void> {
  // A page may always contain the word "saving".
  const isBusy = (page: PageNode): boolean => busyWords(page) > busyWords(before);
  let latest: string | null = null;
  for (let rounds = 0; rounds < busyRoundsMax; rounds += 1) {
    await walker.lookFor((page) => {
      const shown = shownBy(page);
      const rests = shown === latest && !isBusy(page);
      latest = shown;
      return rests ? page : null;
    });
    if (!isBusy(walker.page())) return;
  }
  throw impossibleAction('The page is still working on what was sent, and I cannot tell what comes of it.');
}

function busyWords(page: PageNode): number {
  return getText(page).match(busyPattern)?.length ?? 0;
}

/**
 * Evaluates how the page has responded to an action. Rejects with a TabError if the page shows an error message.
 * Records a confirmation message. Forgets the filled fields if another page is shown.
 */
export async function seeAnswer(walker: Walker, before: PageNode): Promise<void> {
  const trouble = getTrouble(before, walker.page(), walker.entered);
  if (trouble !== null) throw impossibleAction(`The page says: ${shortened(trouble)}`);
  if (before !== walker.page() && hasLeft(before, walker.page())) walker.filled.length = 0;
  const message = getMessage(before, walker.page());
  if (message !== null) walker.said = `The page says: ${message}`;
}

/** Returns true if the page has another first heading than before, which shows that the form was left. */
function hasLeft(before: PageNode, after: PageNode): boolean {
  return getHeading(before) !== getHeading(after);
}

/**
 * Opens a URL. If an error page is shown, such as "Internal server error", loads it again, at most twice. Rejects with
 * a TabError if an error page is still shown.
 */
export async function openPage(walker: Walker, url: string): Promise<void> {
  for (let tries = 0; tries < 3; tries += 1) {
    await walker.act({
      summary: `Opened ${shortened(url)}`,
      action: { kind: 'open', url },
      run: (tab) => tab.open(url),
    });
    if (failedPage(walker.page()) === null) return;
  }
  throw impossibleAction(`The page cannot be served. It says: ${shortened(failedPage(walker.page()) ?? '')}`);
}

function shownBy(page: PageNode): string {
  return nodesIn(page)
    .map(
      ({ role, name, value, flags }) =>
        `${role}${name}${value}${[...flags.keys()].filter((flag) => flag !== 'active').join()}`,
    )
    .join('\n');
}

/** Matches the words by which an error message is recognised. */
const refusesPattern =
  /\b(?:error|problem|wrong|invalid|incorrect|required|missing|failed|failure|denied|forbidden|sorry|unknown|unable|already\s+(?:taken|booked|exists|used|in\s+use)|not\s+(?:valid|possible|allowed|available|accepted|recogni[sz]ed|correct|known|found)|(?:could|can|did|do|does|is|are|was|were)\s*(?:not|n['’]t)|cannot|must|please\s+(?:enter|choose|give|fill|select|check|write|use|tell)|sold\s+out|too\s+(?:long|short|large|many))\b/i;
const failedPagePattern =
  /^(?:error\b|\d{3}\b.*\berror|50\d\b|40[0-9]\b)|internal (?:server )?error|not found|bad gateway|service unavailable|access denied|forbidden/i;

/** Returns the error message that a page shows after an action; null if it shows none. */
function getTrouble(before: PageNode, after: PageNode, entered: readonly string[]): string | null {
  const was = new Set(sayings(before).map(({ text }) => text));
  const fresh = sayings(after).filter(({ text }) => !was.has(text));
  const alert = nodesIn(after).find(({ role }) => role === 'alert');
  const alarmed = alert === undefined ? '' : getText(alert);
  if (alarmed !== '' && (refusesPattern.test(alarmed) || !was.has(alarmed))) return alarmed;
  const page = failedPage(after);
  if (page !== null) return page;
  const isOther = getHeading(before) !== getHeading(after);
  // Texts of another page do not concern the submission, but its heading may.
  if (isOther)
    return refusesPattern.test(getHeading(after)) && !refusesPattern.test(getHeading(before))
      ? getHeading(after)
      : null;
  const own = fresh.filter(
    ({ text }) => text.length <= 200 && !entered.some((typed) => typed !== '' && text.includes(typed)),
  );
  return own.find(({ text, isMessage }) => isMessage && refusesPattern.test(text))?.text ?? null;
}

/** Returns the text of the first heading of a page. Two pages count as different if their headings differ. */
function getHeading(page: PageNode): string {
  return nodesIn(page).find(({ role }) => role === 'heading')?.name ?? '';
}

/** Returns the message of an error page, such as "not found"; null for any other page. */
function failedPage(page: PageNode): string | null {
  const failed = nodesIn(page).find(({ role, name }) => role === 'heading' && failedPagePattern.test(name));
  return failed === undefined ? null : getText(failed.parent ?? failed).slice(0, 200);
}

/** Returns a status message that the page did not show before, or else a new heading; null if there is neither. */
function getMessage(before: PageNode, after: PageNode): string | null {
  const was = new Set(sayings(before).map(({ text }) => text));
  const fresh = nodesIn(after).filter((node) => getText(node) !== '' && !was.has(getText(node)));
  const told = fresh.find(({ role }) => role === 'status') ?? fresh.find(({ role }) => role === 'heading');
  return told === undefined ? null : getText(told);
}

interface Saying {
  readonly text: string;
  readonly isMessage: boolean;
}

const messages = ['alert', 'status', 'paragraph', 'text', 'generic', 'listitem', 'strong', 'heading', 'log', 'note'];

function sayings(page: PageNode): Saying[] {
  return nodesIn(page)
    .filter(({ parent }) => parent !== null)
    .map((node) => ({
      text: getText(node),
      isMessage:
        messages.includes(node.role) &&
        !node.children.some(
          ({ role }) =>
            role !== 'text' && role !== 'strong' && role !== 'listitem' && role !== 'link' && role !== 'emphasis',
        ),
    }))
    .filter(({ text }) => text !== '');
}
