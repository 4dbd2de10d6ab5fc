import type { RequirementId } from '#generated/requirements.ts';
import { type Check, type CheckContext, check } from '../../core/check.ts';
import type { Exchange } from '../../core/exchange.ts';
import { type JsonValue, isJsonObject } from '../../core/json.ts';
import { onceFor } from '../../core/once-for.ts';
import { freeRequest } from '../../runner/preflight.ts';

/** The shape of every 422 body that the run has seen. */
export const errorBodyChecks: readonly Check[] = [
  ofRefusals('ERR-01', (t) => {
    for (const exchange of refusalsSeen(t)) {
      const detail = isJsonObject(exchange.json) ? exchange.json['detail'] : null;
      const message = `expected a JSON object whose detail is an array or absent; found ${exchange.body.slice(0, 200)}`;
      t.expect(detail === undefined || Array.isArray(detail), { exchange, message });
    }
  }),
  ofRefusals('ERR-02', (t) => eachElement(t, 'loc', isLocation)),
  ofRefusals('ERR-03', (t) => eachElement(t, 'msg', (value) => typeof value === 'string')),
  ofRefusals('ERR-04', (t) => eachElement(t, 'type', (value) => typeof value === 'string')),
];

// A run of one requirement alone has seen no 422 yet, so one is asked for.
function ofRefusals(id: RequirementId, judge: (t: CheckContext) => void): Check {
  return check(id, { phase: 'last', reads: true, early: judge }, async (t) => {
    const specs = t.generations.map((generation) => freeRequest(t, generation)).filter((spec) => spec !== undefined);
    await Promise.all(specs.map((spec) => t.send(spec)));
    judge(t);
  });
}

function refusalsSeen(t: CheckContext): readonly Exchange[] {
  const seen = distinctRefusals(t);
  if (seen.length === 0) t.notTestable('no answer had the status 422');
  return seen;
}

const distinctRefusals = onceFor((t): readonly Exchange[] =>
  onePerText(t.recorder.all().filter(({ status, generation }) => status === 422 && generation !== 'other')),
);

// Hundreds of refusals differ in their words only: one of each operation and shape is enough to report.
function onePerText(exchanges: readonly Exchange[]): Exchange[] {
  return [...new Map(exchanges.map((item) => [`${item.operation} ${shapeOf(item.json)}`, item])).values()];
}

function shapeOf(value: JsonValue | undefined): string {
  if (Array.isArray(value)) return `[${[...new Set(value.map((item) => shapeOf(item)))].join()}]`;
  if (!isJsonObject(value)) return value === null ? 'null' : typeof value;
  return `{${Object.entries(value)
    .map(([name, inner]) => `${name}:${shapeOf(inner)}`)
    .join()}}`;
}

function eachElement(t: CheckContext, member: string, holds: (value: JsonValue | undefined) => boolean): void {
  const elements = refusalsSeen(t).flatMap((exchange) => {
    const detail = isJsonObject(exchange.json) ? exchange.json['detail'] : undefined;
    return Array.isArray(detail) ? detail.map((element) => ({ exchange, element })) : [];
  });
  if (elements.length === 0) t.notTestable('no 422 body had a detail array with an element');
  for (const { exchange, element } of elements) {
    const value = isJsonObject(element) ? element[member] : undefined;
    const message = `expected ${member} as the contract has it in each element of detail; found ${JSON.stringify(element).slice(0, 200)}`;
    t.expect(holds(value), { exchange, message });
  }
}

function isLocation(value: JsonValue | undefined): boolean {
  return Array.isArray(value) && value.every((item) => typeof item === 'string' || Number.isInteger(item));
}
