import type { CheckContext } from '../../core/check.ts';
import { type Exchange, describeAnswer, succeeded } from '../../core/exchange.ts';
import { type JsonObject, type JsonValue, isJsonObject, memberAt } from '../../core/json.ts';
import { pointerTo } from '../../core/json-pointer.ts';
import { show } from './session-records.ts';

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
