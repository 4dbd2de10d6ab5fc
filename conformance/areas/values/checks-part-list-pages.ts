import { type Check, type CheckContext, law } from '../../core/check.ts';
import { type Exchange, succeeded } from '../../core/exchange.ts';
import { type JsonValue, identifier, isJsonObject, memberAt } from '../../core/json.ts';
import { type OperationKey, operationRow } from '../../core/operations.ts';
import { type ListRule, listRules } from '../../properties/laws/records.ts';
import { historyOf } from '../../properties/laws/sights.ts';
import { show } from '../common/session-records.ts';

/** What holds of every page of every list that the run has seen. */
export const listPageChecks: readonly Check[] = [
  law('VALUE-LISTS', (t) => {
    t.cellTotal(listRules.length, 'the other lists were not read');
    for (const { operation, exchange } of historyOf(t).calls) {
      const rule = listRules.find((row) => row.operation === operation);
      if (rule !== undefined && succeeded(exchange)) page(t, rule, exchange);
    }
  }),
];

function page(t: CheckContext, rule: ListRule, exchange: Exchange): void {
  const list = memberAt(exchange.json, rule.items);
  if (!Array.isArray(list)) return;
  const query = new URL(exchange.request.url).searchParams;
  const size = Number(query.get(rule.size) ?? whenOmitted(t, rule.operation, rule.size));
  const say = (holds: boolean, what: string): void =>
    t.expect(holds, { cell: rule.operation, exchange, message: `${rule.operation} ${what}` });
  if (Number.isInteger(size)) say(list.length <= size, `shows ${list.length} items; expected at most ${size}`);
  const ids = list.filter(isJsonObject).map((item) => identifier(item[rule.id]));
  say(new Set(ids).size === ids.length, `shows ${show(ids.map(String))}; expected each once`);
  if (rule.number === undefined) return more(exchange, say);
  const number = Number(query.get(rule.number) ?? 1);
  echoes(exchange, { rule, size, number }, say);
  if (!rule.ours.some((member) => query.has(member))) return;
  const total = memberAt(exchange.json, rule.total ?? '');
  const least = list.length === 0 ? 0 : (number - 1) * size + list.length;
  say(typeof total === 'number' && total >= least, `counts ${show(total)}; expected at least ${least}`);
  // A page that is not full is the last one.
  if (list.length > 0 && list.length < size) say(total === least, `counts ${show(total)}; expected ${least}`);
}

type Say = (holds: boolean, what: string) => void;

function echoes(
  { json }: Exchange,
  { rule, size, number }: { rule: ListRule; size: number; number: number },
  say: Say,
): void {
  const names = rule.shows ?? { size: rule.size, number: rule.number ?? '' };
  const [shownSize, shownNumber] = [memberAt(json, names.size), memberAt(json, names.number)];
  say(shownSize === size, `says ${names.size} ${show(shownSize)}; expected ${size}`);
  say(shownNumber === number, `says ${names.number} ${show(shownNumber)}; expected ${number}`);
}

// Where a cursor leads on, there is more.
function more({ json }: Exchange, say: Say): void {
  const [hasMore, cursor] = [memberAt(json, 'hasMore'), memberAt(json, 'nextCursor')];
  if (hasMore === true && cursor !== undefined)
    say(typeof cursor === 'string', `has more and the cursor ${show(cursor)}; expected one that leads on`);
}

function whenOmitted(t: CheckContext, key: OperationKey, name: string): JsonValue | undefined {
  return t.answers.queryOf(operationRow(key), name)?.['default'];
}
