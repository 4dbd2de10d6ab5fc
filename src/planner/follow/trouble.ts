import { nodesIn, type PageNode, textOf } from '../page/page-node.ts';

/** Words that a page says when it does not take something. */
const REFUSES =
  /\b(?:error|problem|wrong|invalid|incorrect|required|missing|failed|failure|denied|forbidden|sorry|unknown|unable|already\s+(?:taken|booked|exists|used|in\s+use)|not\s+(?:valid|possible|allowed|available|accepted|recogni[sz]ed|correct|known|found)|(?:could|can|did|do|does|is|are|was|were)\s*(?:not|n['’]t)|cannot|must|please\s+(?:enter|choose|give|fill|select|check|write|use|tell)|sold\s+out|too\s+(?:long|short|large|many))\b/i;
const FAILED_PAGE =
  /^(?:error\b|\d{3}\b.*\berror|50\d\b|40[0-9]\b)|internal (?:server )?error|not found|bad gateway|service unavailable|access denied|forbidden/i;

/** What a page complains about after a step, in its own words; null when it does not. */
export function troubleOf(before: PageNode, after: PageNode, entered: readonly string[]): string | null {
  const was = new Set(sayings(before).map(({ text }) => text));
  const fresh = sayings(after).filter(({ text }) => !was.has(text));
  const alert = nodesIn(after).find(({ role }) => role === 'alert');
  const alarmed = alert === undefined ? '' : textOf(alert);
  if (alarmed !== '' && (REFUSES.test(alarmed) || !was.has(alarmed))) return alarmed;
  const page = failedPage(after);
  if (page !== null) return page;
  const isOther = headingOf(before) !== headingOf(after);
  // Where a page was left for another one, its texts are not about what was sent; its heading may be.
  if (isOther) return REFUSES.test(headingOf(after)) && !REFUSES.test(headingOf(before)) ? headingOf(after) : null;
  const own = fresh.filter(
    ({ text }) => text.length <= 200 && !entered.some((typed) => typed !== '' && text.includes(typed)),
  );
  return own.find(({ text, isMessage }) => isMessage && REFUSES.test(text))?.text ?? null;
}

/** The first heading of a page, which tells pages apart. */
export function headingOf(page: PageNode): string {
  return nodesIn(page).find(({ role }) => role === 'heading')?.name ?? '';
}

/** What a page says that could not be served; null for one that is as it should be. */
export function failedPage(page: PageNode): string | null {
  const failed = nodesIn(page).find(({ role, name }) => role === 'heading' && FAILED_PAGE.test(name));
  return failed === undefined ? null : textOf(failed.parent ?? failed).slice(0, 200);
}

/** What a page says by way of a message, when something was taken. */
export function messageOf(before: PageNode, after: PageNode): string | null {
  const was = new Set(sayings(before).map(({ text }) => text));
  const fresh = nodesIn(after).filter((node) => textOf(node) !== '' && !was.has(textOf(node)));
  const told = fresh.find(({ role }) => role === 'status') ?? fresh.find(({ role }) => role === 'heading');
  return told === undefined ? null : textOf(told);
}

interface Saying {
  readonly text: string;
  readonly isMessage: boolean;
}

const MESSAGES = ['alert', 'status', 'paragraph', 'text', 'generic', 'listitem', 'strong', 'heading', 'log', 'note'];

function sayings(page: PageNode): Saying[] {
  return nodesIn(page)
    .filter(({ parent }) => parent !== null)
    .map((node) => ({
      text: textOf(node),
      isMessage:
        MESSAGES.includes(node.role) &&
        !node.children.some(
          ({ role }) =>
            role !== 'text' && role !== 'strong' && role !== 'listitem' && role !== 'link' && role !== 'emphasis',
        ),
    }))
    .filter(({ text }) => text !== '');
}
