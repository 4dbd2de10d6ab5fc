import { type Exchange, describeAnswer, refused, succeeded } from '../core/exchange.ts';
import type { CheckContext } from '../core/check.ts';
import {
  type JsonObject,
  toText,
  type JsonValue,
  isJsonObject,
  memberAt,
  pointerTo,
  isSame,
  sameSet,
} from '../core/json.ts';
import { isSameMember } from '../core/times.ts';
import { listAllItems, listItems } from './followed-pages.ts';
import { isSameContent } from './signed-urls.ts';
import { show } from '../core/text.ts';

/** Returns true for a response whose Content-Type is HTML or JSON, and which is therefore no picture and no video. */
export function isPageOrJson({ headers }: Exchange): boolean {
  return /^(?:text\/html|application\/(?:[\w.-]+\+)?json)\b/i.test(headers['content-type'] ?? '');
}

/** Assertions about one answer. */
export interface Judged {
  /** Expects one of these status codes. */
  status(...wanted: readonly number[]): void;
  /** Expects any success status, for requirements that state only that a request is accepted. */
  taken(): void;
  /**
   * Expects a value at a member of the body. Objects may have their members in any order; a missing member counts as
   * null. An answer without success shows no record, so that null is not judged there.
   */
  member(name: string, want: JsonValue): void;
  /**
   * Expects a list that shows these ids, each once, in any order. An answer without success shows no list, so that an
   * empty list is not judged there.
   */
  ids(list: { shown: readonly string[]; want: readonly string[] }): void;
}

/** Returns the assertions about one answer; `what` names the answer or its request in messages. */
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
      if (want === null && !succeeded(exchange)) return;
      const found = memberAt(exchange.json, name);
      const message = `${name} of ${what} is ${show(found)}; expected ${show(want)}`;
      t.expect(isSame(want === null ? (found ?? null) : found, want), { exchange, member: pointerTo(name), message });
    },
    ids: ({ shown, want }) => {
      if (want.length === 0 && !succeeded(exchange)) return;
      const once = new Set(shown).size === shown.length;
      const wanted = new Set(want);
      const message = `${what} shows ${show([...shown])}; expected ${show([...wanted])}, each once`;
      t.expect(once && shown.length === wanted.size && shown.every((id) => wanted.has(id)), { exchange, message });
    },
  };
}

/** A page of a list with numbered pages. */
export interface NumberedPage {
  exchange: Exchange;
  /** Name of the member that holds the items. */
  items: string;
  /** Name of the member that holds the total. */
  total: string;
  /**
   * The page number and the page size that were requested. The keys are the members of the answer that must repeat
   * them.
   */
  asked: Readonly<Record<string, number>>;
  /** Maximum number of items on the page. */
  most: number;
}

/**
 * Judges a page of a list. It must repeat the requested page number and size, contain at most `most` items, and state a
 * total that is not smaller than the number of its items.
 */
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
    message: `${total} of a page is ${show(sum)}; expected a whole number that counts at least its ${count ?? 0} items`,
  });
}

/** Returns the ids of list items as texts. */
export function listIds(items: readonly JsonObject[]): string[] {
  return items.map((item) => toText(memberAt(item, 'id')));
}

/** Expects that the response has one of the given statuses. The cell of the finding is the generation. */
export function answered(t: CheckContext, exchange: Exchange, ...statuses: number[]): void {
  const message = `${formatOperation(exchange)} ${describeAnswer(exchange)}; expected ${statuses.join(' or ')}`;
  t.expect(statuses.includes(exchange.status), { cell: exchange.generation, exchange, message });
}

/**
 * Expects a success whose body has this value at a member. For a member that ends in `At`, any notation of the same
 * time is accepted; a missing member counts as null. Ends the check as not testable without a response.
 */
export function carries(
  t: CheckContext,
  exchange: Exchange | undefined,
  [member, value = null]: readonly [string, JsonValue | undefined],
): void {
  if (exchange === undefined) return t.notTestable('an answer that it needs was not given');
  const found = memberAt(exchange.json, member) ?? null;
  t.expect(succeeded(exchange) && isSameMember(member, found, value), {
    cell: exchange.generation,
    exchange,
    ...(succeeded(exchange) ? { member: pointerTo(member) } : {}),
    message: `${formatOperation(exchange)} ${describeAnswer(exchange)} with ${member} ${show(found)}; expected ${show(value)}`,
  });
}

/**
 * Expects a success whose list contains exactly these values, in any order. `place` has the form `list.member`: the
 * list, and the member of its items.
 */
export function lists(
  t: CheckContext,
  exchange: Exchange,
  [place, values]: readonly [string, readonly JsonValue[]],
): void {
  const found = valuesIn(exchange, place);
  t.expect(succeeded(exchange) && sameSet(found, values), {
    cell: exchange.generation,
    exchange,
    message: `${formatOperation(exchange)} ${describeAnswer(exchange)} with ${place} ${show(found)}; expected ${show([...values])}`,
  });
}

/**
 * Returns the value of one member of each object in a list; null for an object without this member. `place` has the
 * form `list.member`.
 */
export function valuesIn(exchange: Exchange | undefined, place: string): JsonValue[] {
  const [list = '', member = ''] = place.split('.');
  return listItems(exchange, list).map((item) => item[member] ?? null);
}

function formatOperation({ generation, operation }: Exchange): string {
  return `${generation} ${operation}`;
}

/** Returns a value that a check needs. Ends the check as not testable if the value is missing. */
export function required<T>(t: CheckContext, value: T | null | undefined, reason: string): T {
  return value ?? t.notTestable(reason);
}

/**
 * Returns the response header that forbids other sites to embed a page in a frame, as `name: value`; undefined without
 * such a header.
 */
export function framingRefusal({ headers }: Exchange): string | undefined {
  const options = headers['x-frame-options'];
  if (options !== undefined && /deny|sameorigin/i.test(options)) return `X-Frame-Options: ${options}`;
  const ancestors = /frame-ancestors([^;]*)/i.exec(headers['content-security-policy'] ?? '')?.[1]?.trim();
  if (ancestors === undefined || ancestors.includes('*') || /https?:/.test(ancestors)) return undefined;
  return `Content-Security-Policy: frame-ancestors ${ancestors}`;
}

/**
 * Screen sizes with a width or height below the minimum or above the maximum. Each has both members, so that only the
 * bound is violated.
 */
export const wrongScreens: readonly JsonObject[] = [
  { browserScreenWidth: 319, browserScreenHeight: 720 },
  { browserScreenWidth: 6145, browserScreenHeight: 720 },
  { browserScreenWidth: 1280, browserScreenHeight: 319 },
  { browserScreenWidth: 1280, browserScreenHeight: 3457 },
];

/** The answers to altered copies of one signed URL: first with another path, then with each query member changed. */
export interface AlteredAddress {
  altered: readonly { exchange: Exchange }[];
  /** The URL, for messages. */
  what: string;
  cell: string;
}

/**
 * Judges that altered copies of a signed URL are refused: the copy with another path, and at least one copy with a
 * changed query member. Some query members besides the signature may be unused.
 */
export function refusesAlterations(t: CheckContext, { altered, what, cell }: AlteredAddress): void {
  const [path, ...members] = altered;
  if (path !== undefined) {
    const message = `${what} with another path ${describeAnswer(path.exchange)}; expected a refusal (4xx)`;
    t.expect(refused(path.exchange), { cell, exchange: path.exchange, message });
  }
  const [first] = members;
  if (first === undefined) return;
  const isGuarded = members.some(({ exchange }) => refused(exchange));
  const message = `${what} is not refused with a change in any member of its query, the first of which ${describeAnswer(first.exchange)}; expected a refusal (4xx) of at least one change`;
  t.expect(isGuarded, { cell, exchange: first.exchange, message });
}

/** Two answers with the record of one resource; `what` names the resource in messages. */
export interface UnchangedRecord {
  before: Exchange;
  after: Exchange;
  what: string;
}

/**
 * Judges that the second answer shows the same record as the first one: every member of the first record has the same
 * value, except for signed URLs, which may differ from answer to answer. Answers without success are not judged.
 */
export function unchanged(t: CheckContext, { before, after, what }: UnchangedRecord): void {
  if (!succeeded(before) || !succeeded(after)) return;
  const record = before.json;
  const members = isJsonObject(record) ? Object.keys(record) : [];
  const changed = members.filter((member) => !isSameContent(memberAt(record, member), memberAt(after.json, member)));
  const found = members.length === 0 ? 'was read without a record' : `shows other values of ${changed.join(', ')}`;
  const message = `${what} ${found}; expected no change`;
  t.expect(members.length > 0 && changed.length === 0, { exchange: after, message });
}

/** Judges that a response has the status 404 and this text as `detail`. */
export function notFound(t: CheckContext, exchange: Exchange, text: string): void {
  const what = `${exchange.operation} for something that does not exist`;
  judged(t, exchange, what).status(404);
  judged(t, exchange, `the answer to ${what}`).member('detail', text);
}

/** Judges a V2 task as a list shows it: it must not have `steps` and `outputFiles`, which only the full record has. */
export function listed(t: CheckContext, exchange: Exchange, task: JsonObject): void {
  const extra = ['steps', 'outputFiles'].filter((member) => member in task);
  t.expect(extra.length === 0, {
    exchange,
    message: `a V2 task in a list has ${extra.join(' and ')}; expected neither`,
  });
}

/**
 * Judges two lists that are filtered by status. The resource with the id must appear in the list of its own status, and
 * not in the other list. Each list must contain only items of its status.
 */
export function inOwnList(t: CheckContext, id: string, { lists: shown, own, other }: OwnList): void {
  const ids = (pages: readonly Exchange[]): string[] => listIds(listAllItems(pages, 'items'));
  const first = (pages: readonly Exchange[]): Exchange | undefined => pages[0];
  const missing = `the list with status ${own} does not show ${id}, which has this status; expected that it does`;
  t.expect(ids(shown[own]).includes(id), { exchange: first(shown[own]), message: missing });
  const foreign = `the list with status ${other} shows ${id}, which is ${own}; expected that it does not`;
  t.expect(!ids(shown[other]).includes(id), { exchange: first(shown[other]), message: foreign });
  for (const word of [own, other]) {
    const wrong = listAllItems(shown[word], 'items').find(({ status }) => toText(status) !== word);
    const message = `the list with status ${word} shows an item that is ${show(wrong?.['status'])}; expected only items with this status`;
    t.expect(wrong === undefined, { exchange: first(shown[word]), message });
  }
}

/**
 * Lists of V2 sessions or V4 browsers by status; `own` is the status of the judged resource, `other` is the other
 * status.
 */
export interface OwnList {
  lists: StatusLists;
  own: keyof StatusLists;
  other: keyof StatusLists;
}

/**
 * Lists of V2 sessions or V4 browsers by status. Each list is read until a page shows the resource or the list ends.
 */
export interface StatusLists {
  active: Exchange[];
  stopped: Exchange[];
}
