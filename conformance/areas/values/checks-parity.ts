import { thinkingLevels } from '#generated/rules.ts';
import { type Check, type CheckContext, law } from '../../core/check.ts';
import { type Exchange, hasUndeclaredBody, succeeded } from '../../core/exchange.ts';
import { isJsonObject, memberAt } from '../../core/json.ts';
import { generations } from '../../core/target.ts';
import { deriveOnce } from '../../core/derive-once.ts';
import { type Called, deriveCalls } from '../../properties/laws/observations.ts';
import { type ParityRule, levelAsked, parityRules } from '../../properties/laws/parity-rules.ts';
import { levelCells } from '../../common/level-cells.ts';
import { levelTemplate, supportedList } from '../../common/refusals.ts';

/** Checks that every generation applies a shared rule of the contract in the same way. */
export const parityChecks: readonly Check[] = [
  law('PARITY-CLASSES', (t) => {
    const calls = answered(t);
    t.cellTotal(parityRules.length, 'the other rules were not tried in two generations');
    for (const parityRule of parityRules)
      agree(t, { cell: parityRule.rule, told: told(t, calls, parityRule), as: describeClass });
  }),
  law('PARITY-BODIES', (t) => {
    const calls = answered(t).filter(({ exchange }) => !hasUndeclaredBody(exchange));
    t.cellTotal(parityRules.length, 'the other rules were not tried in two generations, or declare no body');
    for (const parityRule of parityRules)
      agree(t, { cell: parityRule.rule, told: told(t, calls, parityRule), as: describeShape });
  }),
  law('PARITY-LEVELS', (t) => {
    const decided = answered(t).filter(({ exchange }) => [200, 202, 422].includes(exchange.status));
    const byPair = Map.groupBy(decided, levelAsked);
    t.cellTotal(common.size, 'the other pairs were not sent in both generations');
    for (const pair of common) {
      const asking = (byPair.get(pair) ?? []).filter((called) => decidesLevel(called, pair));
      agree(t, { cell: pair, told: asking, as: (exchange) => (succeeded(exchange) ? 'accepted' : 'refused') });
    }
  }),
];

/** Pairs of a model and a level with the same result in the contract's tables of V2 and V3. */
const common = new Set(
  thinkingLevels.v2.flatMap((row) => {
    const other = thinkingLevels.v3.find(({ model }) => model === row.model);
    if (other === undefined) return [];
    const words = ['disabled', 'low', 'medium', 'high'];
    const has = ({ levels }: { levels: readonly string[] }, word: string): boolean => levels.includes(word);
    return words.filter((word) => has(row, word) === has(other, word)).map((word) => `${row.model} ${word}`);
  }),
);

const cells = {
  v2: new Map(levelCells('v2').map((cell) => [cell.key, cell])),
  v3: new Map(levelCells('v3').map((cell) => [cell.key, cell])),
};

/**
 * Returns true if an answer shows whether a level is accepted: a success, or the refusal in the contract's words. Any
 * other refusal is about another member of the request, or the missing route of a model.
 */
function decidesLevel({ operation, exchange }: Called, pair: string): boolean {
  if (succeeded(exchange)) return true;
  const cell = (operation === 'v2.createTask' ? cells.v2 : cells.v3).get(pair);
  return cell !== undefined && supportedList(exchange, levelTemplate(cell.names, cell.level)) !== undefined;
}

function answered(t: CheckContext): readonly Called[] {
  t.operations.need();
  return answeredCalls(t);
}

const answeredCalls = deriveOnce((t): readonly Called[] =>
  deriveCalls(t).filter(({ exchange }) => ![0, 429, 502, 503, 504].includes(exchange.status)),
);

function told(t: CheckContext, calls: readonly Called[], { breaks }: ParityRule): Called[] {
  return calls.filter((call) => breaks(t, call));
}

interface Agreement {
  readonly cell: string;
  readonly told: readonly Called[];
  readonly as: (exchange: Exchange) => string;
}

/**
 * Judges that the generations give the same kind of answer, if at least two of them have answers. Another requirement
 * judges whether the answer of each generation is right.
 */
function agree(t: CheckContext, { cell, told: calls, as }: Agreement): void {
  const speaking = new Set<string>(calls.map(({ exchange }) => exchange.generation));
  const heard = generations.filter((generation) => speaking.has(generation));
  if (heard.length < 2) return;
  const answers = calls.map(({ exchange, operation }) => ({ exchange, operation, found: as(exchange) }));
  const usual = commonest(answers.map(({ found }) => found));
  for (const { exchange, operation, found } of answers) {
    const others = heard.filter((generation) => generation !== exchange.generation).join(' and ');
    const message = (): string =>
      `${cell}: ${operation} answers ${found}, ${others} ${usual}; expected the generations to agree`;
    t.expect(found === usual, { cell, exchange, message });
  }
}

function commonest(words: readonly string[]): string {
  const counted = [...Map.groupBy(words, (word) => word)].toSorted(([, one], [, two]) => two.length - one.length);
  return counted[0]?.[0] ?? '';
}

function describeClass(exchange: Exchange): string {
  return succeeded(exchange) ? 'with a success' : String(exchange.status);
}

/**
 * Describes the `detail` of a refusal: as text, as a list, or absent (any other value). For a list, names those of the
 * members `loc`, `msg` and `type` that each element has.
 */
function describeShape({ json }: Exchange): string {
  const detail = memberAt(json, 'detail');
  if (!Array.isArray(detail)) return typeof detail === 'string' ? 'with detail as text' : 'without a detail';
  const members = ['loc', 'msg', 'type'].filter((name) => detail.every((row) => isJsonObject(row) && name in row));
  return `with detail as a list of ${members.join(', ')}`;
}
