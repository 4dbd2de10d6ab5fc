import type { CheckContext } from '../../core/check.ts';
import { type Exchange, describeAnswer, succeeded } from '../../core/exchange.ts';
import { type JsonObject, type JsonValue, memberAt, textOf } from '../../core/json.ts';
import { pointerTo } from '../../core/json-pointer.ts';
import { show } from './session-records.ts';

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
  return JSON.stringify(sorted(left)) === JSON.stringify(sorted(right));
}

function sorted(value: JsonValue | undefined): JsonValue | undefined {
  if (Array.isArray(value)) return value.map((item) => sorted(item) ?? null);
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).toSorted(([one], [two]) => (one < two ? -1 : 1));
  return Object.fromEntries(members.map(([name, inner]) => [name, sorted(inner) ?? null]));
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
