import type { CheckContext } from '../harness/check.ts';
import { type Exchange, describeAnswer } from '../harness/exchange.ts';
import { type JsonObject, type JsonValue, memberAt } from '../harness/json.ts';
import { show } from './records.ts';

/** Judges that an answer has one of some statuses; `what` names the request. */
export function expectStatus(t: CheckContext, exchange: Exchange, wanted: readonly number[], what: string): void {
  t.expect(wanted.includes(exchange.status), {
    exchange,
    message: `${what} ${describeAnswer(exchange)}; expected ${wanted.join(' or ')}`,
  });
}

/** Judges a member of an answer; `what` names the answer. */
export function expectMember(
  t: CheckContext,
  exchange: Exchange,
  [member, want]: readonly [string, JsonValue],
  what: string,
): void {
  const found = memberAt(exchange.json, member);
  t.expect(isSame(found, want), {
    exchange,
    message: `${member} of ${what} is ${show(found)}; expected ${show(want)}`,
  });
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
  expectStatus(t, exchange, [200], 'a page of a list');
  for (const [member, want] of Object.entries(asked)) expectMember(t, exchange, [member, want], 'a page of a list');
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
export function idsOf(items: readonly JsonObject[], member = 'id'): string[] {
  return items.map((item) => String(memberAt(item, member)));
}

/** Judges that a list shows some ids, each once, in any order. */
export function expectIds(
  t: CheckContext,
  exchange: Exchange,
  { shown, want }: { shown: readonly string[]; want: readonly string[] },
  what: string,
): void {
  const wanted = new Set(want);
  const right =
    shown.length === wanted.size && shown.every((id) => wanted.has(id)) && new Set(shown).size === shown.length;
  t.expect(right, { exchange, message: `${what} shows ${show([...shown])}; expected ${show([...wanted])}, each once` });
}
