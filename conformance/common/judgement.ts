import { type Exchange, describeAnswer, succeeded } from '../core/exchange.ts';

import type { CheckContext } from '../core/check.ts';
import { type OperationKey, findOperation } from '../core/operations.ts';
import { type JsonObject, textOf, isJsonObject, type JsonValue, memberAt } from '../core/json.ts';
import { itemsOfAll } from './followed-pages.ts';
import { show } from './session-records.ts';

import { pointerTo } from '../core/json-pointer.ts';

/** What can be judged of one answer. */
export interface Judged {
  /** It has one of some statuses. */
  status(...wanted: readonly number[]): void;
  /** It is a success, whichever: for rows that speak of what is taken and not of how it is answered. */
  taken(): void;
  /** A member of its body is a value; the order of an object's members does not count, and one that is missing is null. */
  member(name: string, want: JsonValue): void;
  /** A list in it shows some ids, each once, in any order. */
  ids(list: { shown: readonly string[]; want: readonly string[] }): void;
}

/** Judges one answer; `what` names it, or its request, in messages. */
export function judged(t: CheckContext, exchange: Exchange, what: string): Judged {
  return {
    status: (...wanted) => {
      const message = `${what} ${describeAnswer(exchange)}; expected ${wanted.join(' or ')}`;
      t.expect(wanted.includes(exchange.status), { exchange, message });
    },
    taken: () => {
      t.expect(succeeded(exchange), { exchange, message: `${what} ${describeAnswer(exchange)}; expected a success` });
    },
    member: (name, want) => {
      const found = memberAt(exchange.json, name);
      const message = `${name} of ${what} is ${show(found)}; expected ${show(want)}`;
      t.expect(isSame(want === null ? (found ?? null) : found, want), { exchange, member: pointerTo(name), message });
    },
    ids: ({ shown, want }) => {
      const once = new Set(shown).size === shown.length;
      const wanted = new Set(want);
      const message = `${what} shows ${show([...shown])}; expected ${show([...wanted])}, each once`;
      t.expect(once && shown.length === wanted.size && shown.every((id) => wanted.has(id)), { exchange, message });
    },
  };
}

/** True for two values that are the same JSON, whatever the order of members. */
export function isSame(left: JsonValue | undefined, right: JsonValue | undefined): boolean {
  return JSON.stringify(sortMembers(left)) === JSON.stringify(sortMembers(right));
}

function sortMembers(value: JsonValue | undefined): JsonValue | undefined {
  if (Array.isArray(value)) return value.map((item) => sortMembers(item) ?? null);
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).toSorted(([one], [two]) => (one < two ? -1 : 1));
  return Object.fromEntries(members.map(([name, inner]) => [name, sortMembers(inner) ?? null]));
}

/** A page of a list that is counted in pages. */
export interface NumberedPage {
  exchange: Exchange;
  /** Member of the items. */
  items: string;
  /** Member of the total. */
  total: string;
  /** Page and size as the answer names them, with what was asked for. */
  asked: Readonly<Record<string, number>>;
  /** Most items of the page. */
  most: number;
}

/** Judges that a page says which page it is and holds no more than was asked for. */
export function expectPage(t: CheckContext, { exchange, items, total, asked, most }: NumberedPage): void {
  const page = judged(t, exchange, 'a page of a list');
  page.status(200);
  for (const [member, want] of Object.entries(asked)) page.member(member, want);
  const list = memberAt(exchange.json, items);
  const count = Array.isArray(list) ? list.length : undefined;
  t.expect(count !== undefined && count <= most, {
    exchange,
    message: `a page holds ${count ?? 'no list of'} items at "${items}"; expected at most ${most}`,
  });
  const sum = memberAt(exchange.json, total);
  t.expect(typeof sum === 'number' && Number.isInteger(sum) && sum >= (count ?? 0), {
    exchange,
    message: `${total} of a page is ${show(sum)}; expected a whole number that counts at least its ${count} items`,
  });
}

/** Ids of list items as texts. */
export function idsOf(items: readonly JsonObject[]): string[] {
  return items.map((item) => textOf(memberAt(item, 'id')));
}

/** Expects one of these statuses. The cell is the generation. */
export function answered(t: CheckContext, exchange: Exchange, ...statuses: number[]): void {
  const message = `${nameOf(exchange)} ${describeAnswer(exchange)}; expected ${statuses.join(' or ')}`;
  t.expect(statuses.includes(exchange.status), { cell: exchange.generation, exchange, message });
}

/** Expects a success whose member has a value; a member that is missing counts as null. */
export function carries(
  t: CheckContext,
  exchange: Exchange | undefined,
  [member, value = null]: readonly [string, JsonValue | undefined],
): void {
  if (exchange === undefined) return t.notTestable('an answer that it needs was not given');
  const found = memberAt(exchange.json, member) ?? null;
  t.expect(succeeded(exchange) && JSON.stringify(found) === JSON.stringify(value), {
    cell: exchange.generation,
    exchange,
    ...(succeeded(exchange) ? { member: pointerTo(member) } : {}),
    message: `${nameOf(exchange)} ${describeAnswer(exchange)} with ${member} ${show(found)}; expected ${show(value)}`,
  });
}

/** Expects a success whose list holds these values at `list.member`, in any order, and no others. */
export function lists(
  t: CheckContext,
  exchange: Exchange,
  [place, values]: readonly [string, readonly JsonValue[]],
): void {
  const found = valuesIn(exchange, place);
  t.expect(succeeded(exchange) && sameSet(found, values), {
    cell: exchange.generation,
    exchange,
    message: `${nameOf(exchange)} ${describeAnswer(exchange)} with ${place} ${show(found)}; expected ${show([...values])}`,
  });
}

/** Objects in a list of an answer; empty when it carries none. */
export function itemsOf(exchange: Exchange | undefined, list: string): JsonObject[] {
  const items = memberAt(exchange?.json, list);
  return Array.isArray(items) ? items.filter(isJsonObject) : [];
}

/** One member of each object in a list, written `list.member`. */
export function valuesIn(exchange: Exchange | undefined, place: string): JsonValue[] {
  const [list = '', member = ''] = place.split('.');
  return itemsOf(exchange, list).map((item) => item[member] ?? null);
}

/** True when both lists hold the same values, each as often, in any order. */
export function sameSet(found: readonly JsonValue[], expected: readonly JsonValue[]): boolean {
  const sorted = (values: readonly JsonValue[]): string[] => values.map((value) => JSON.stringify(value)).toSorted();
  return JSON.stringify(sorted(found)) === JSON.stringify(sorted(expected));
}

function nameOf({ generation, operation }: Exchange): string {
  return `${generation} ${operation}`;
}

/** Returns a value that a check needs. Ends the check as not testable if the value is missing. */
export function required<T>(t: CheckContext, value: T | null | undefined, reason: string): T {
  return value ?? t.notTestable(reason);
}

/** So many failures of an operation that never succeeded are no accident of the network. */
const failuresMin = 2;

/**
 * Judges an operation that the contract shows by all of its answers in the run. A target that fails each time does not offer it, which no
 * scenario can say: for each of them a failed request only means that nothing can be tested. Says nothing of an operation that succeeded.
 */
export function expectWorks(t: CheckContext, key: OperationKey): void {
  const sent = t.recorder.all().filter((exchange) => findOperation(t.target, exchange)?.key === key);
  const created = t.ledger.entries().flatMap(({ id }) => (id === undefined ? [] : [id]));
  const failed = sent.filter(
    ({ status, request }) => status >= 500 || (status === 404 && created.some((id) => request.url.includes(id))),
  );
  const [exchange] = failed;
  if (exchange === undefined || failed.length < failuresMin || sent.some((one) => succeeded(one))) return;
  const message = `${key} ${describeAnswer(exchange)}, and ${failed.length} of ${sent.length} requests failed so and none succeeded`;
  t.expect(false, { exchange, message });
}

/** True for an answer that speaks of money, rights or load and not of the request, and for no answer at all (0). */
export function isCapacity(status: number): boolean {
  return [0, 402, 403, 409, 429, 502, 503, 504].includes(status);
}

/** What in an answer keeps a page from being framed by any other; undefined when nothing does. */
export function framingRefusal({ headers }: Exchange): string | undefined {
  const options = headers['x-frame-options'];
  if (options !== undefined && /deny|sameorigin/i.test(options)) return `X-Frame-Options: ${options}`;
  const ancestors = /frame-ancestors([^;]*)/i.exec(headers['content-security-policy'] ?? '')?.[1]?.trim();
  if (ancestors === undefined || ancestors.includes('*') || /https?:/.test(ancestors)) return undefined;
  return `Content-Security-Policy: frame-ancestors ${ancestors}`;
}

/** Screens that are too small or too large; each has both sides, so that only the bounds are wrong. */
export const wrongScreens: readonly JsonObject[] = [
  { browserScreenWidth: 319, browserScreenHeight: 720 },
  { browserScreenWidth: 6145, browserScreenHeight: 720 },
  { browserScreenWidth: 1280, browserScreenHeight: 319 },
  { browserScreenWidth: 1280, browserScreenHeight: 3457 },
];

/** Judges a 404 with a text that a client can tell apart. */
export function notFound(t: CheckContext, exchange: Exchange, text: string): void {
  const what = `${exchange.operation} for something that does not exist`;
  judged(t, exchange, what).status(404);
  judged(t, exchange, `the answer to ${what}`).member('detail', text);
}

/** Judges that a task is shown the way lists show it. */
export function listed(t: CheckContext, exchange: Exchange, task: JsonObject): void {
  const extra = ['steps', 'outputFiles'].filter((member) => member in task);
  t.expect(extra.length === 0, {
    exchange,
    message: `a V2 task in a list has ${extra.join(' and ')}; expected neither`,
  });
}

/** Judges that something stands in the list of its own status alone. */
export function inOwnList(t: CheckContext, id: string, { lists: shown, own, other }: OwnList): void {
  const ids = (pages: readonly Exchange[]): string[] => idsOf(itemsOfAll(pages, 'items'));
  const first = (pages: readonly Exchange[]): Exchange | undefined => pages[0];
  const here = `the list of what is ${own} does not show what is`;
  t.expect(ids(shown[own]).includes(id), { exchange: first(shown[own]), message: here });
  const there = `the list of what is ${other} shows what is ${own}`;
  t.expect(!ids(shown[other]).includes(id), { exchange: first(shown[other]), message: there });
  for (const word of [own, other]) {
    const wrong = itemsOfAll(shown[word], 'items').find(({ status }) => textOf(status) !== word);
    const message = `the list of what is ${word} shows one that is ${show(wrong?.['status'])}`;
    t.expect(wrong === undefined, { exchange: first(shown[word]), message });
  }
}

/** Lists by status, the status of a session of ours, and another status. */
export interface OwnList {
  lists: SessionLists;
  own: keyof SessionLists;
  other: keyof SessionLists;
}

/** Lists of V2 sessions by status, page after page until one shows the session or is the last. */
export interface SessionLists {
  active: Exchange[];
  stopped: Exchange[];
}
