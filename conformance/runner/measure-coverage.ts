import type { AnswerSchemas } from '../core/answer-schemas.ts';
import { type Exchange, succeeded } from '../core/exchange.ts';
import { type Operation, allOperations, findOperation, placeOf } from '../core/operations.ts';
import type { JsonValue } from '../core/json.ts';
import { requestJson } from '../core/request-json.ts';
import type { Target } from '../core/target.ts';
import type { OperationCoverage, Share } from '../core/coverage.ts';
import { carrierOf, declaredMembers } from './declared-members.ts';

/** Input of {@link measureCoverage}. */
export interface Measured {
  target: Target;
  exchanges: readonly Exchange[];
  answers: AnswerSchemas;
  /** The responses that each requirement has judged. */
  judged: ReadonlyMap<string, Iterable<Exchange>>;
}

/** Returns the coverage of every operation, in document order. */
export function measureCoverage({ target, exchanges, answers, judged }: Measured): OperationCoverage[] {
  const keyOf = (exchange: Exchange): string => findOperation(target, exchange)?.key ?? '';
  const byOperation = Map.groupBy(
    exchanges.filter(({ status }) => status !== 0),
    keyOf,
  );
  const judges = new Map([...judged].map(([id, seen]) => [id, new Set([...seen].map((exchange) => keyOf(exchange)))]));
  return allOperations.map((operation) => ({
    operation: operation.key,
    offered: placeOf(target, operation.key) !== null,
    ...seenOf({ operation, answers, exchanges: byOperation.get(operation.key) ?? [] }),
    requirements: [...judges].filter(([, keys]) => keys.has(operation.key)).map(([id]) => id),
  }));
}

interface ObservedClock {
  operation: Operation;
  answers: AnswerSchemas;
  exchanges: readonly Exchange[];
}

function seenOf({
  operation,
  answers,
  exchanges,
}: ObservedClock): Pick<OperationCoverage, 'requests' | 'statuses' | 'sent' | 'received'> {
  const members = (part: 'request' | number): string[] => {
    const schema = answers.schemaOf(operation, part);
    return schema === undefined ? [] : declaredMembers(schema, (inner) => answers.resolve(operation.generation, inner));
  };
  const query = operation.queryParameters.map((name) => `?${name}`);
  const answered = exchanges.filter((exchange) => succeeded(exchange));
  return {
    requests: exchanges.length,
    statuses: share(
      operation.statuses,
      exchanges.map(({ status }) => status),
    ),
    sent: joined(
      share(
        query,
        exchanges.flatMap(({ request }) => queryOf(request.url)),
      ),
      carriedShare(
        members('request'),
        exchanges.map((exchange) => requestJson(exchange)),
      ),
    ),
    received: carriedShare(
      members(operation.successStatus),
      answered.map(({ json }) => json),
    ),
  };
}

function queryOf(url: string): string[] {
  return url.includes('?') ? [...new URL(url).searchParams.keys()].map((name) => `?${name}`) : [];
}

/**
 * Returns which members occurred in some body. The search for each stops at its first occurrence, usually in the first
 * response.
 */
function carriedShare(documented: readonly string[], bodies: readonly (JsonValue | undefined)[]): Share<string> {
  // Only an object or a list can contain a member.
  const holders = bodies.filter((body) => typeof body === 'object' && body !== null);
  const found = documented.filter((path) => holders.some(carrierOf(path)));
  return share(documented, found);
}

function joined<T>(one: Share<T>, other: Share<T>): Share<T> {
  return { seen: [...one.seen, ...other.seen], unseen: [...one.unseen, ...other.unseen] };
}

function share<T>(documented: readonly T[], found: readonly T[]): Share<T> {
  const known = new Set(found);
  return { seen: documented.filter((item) => known.has(item)), unseen: documented.filter((item) => !known.has(item)) };
}
