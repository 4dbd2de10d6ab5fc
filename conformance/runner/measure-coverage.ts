import type { AnswerSchemas } from '../core/answer-schemas.ts';
import { type Exchange, succeeded } from '../core/exchange.ts';
import { type Operation, allOperations, findOperation, offeredEndpoint } from '../core/operations.ts';
import { type JsonObject, type JsonValue, isJsonObject } from '../core/json.ts';
import { requestJson } from '../core/request-json.ts';
import type { Target } from '../core/target.ts';
import type { OperationCoverage, Share } from '../core/coverage.ts';

/** Input of {@link measureCoverage}. */
interface Measured {
  target: Target;
  exchanges: readonly Exchange[];
  answers: AnswerSchemas;
  /** The responses that each requirement has judged. */
  judged: ReadonlyMap<string, Iterable<Exchange>>;
}

/** Returns the coverage of every operation, in document order. */
export function measureCoverage({ target, exchanges, answers, judged }: Measured): OperationCoverage[] {
  const findKey = (exchange: Exchange): string => findOperation(target, exchange)?.key ?? '';
  const byOperation = Map.groupBy(
    exchanges.filter(({ status }) => status !== 0),
    findKey,
  );
  const judges = new Map(
    [...judged].map(([id, seen]) => [id, new Set([...seen].map((exchange) => findKey(exchange)))]),
  );
  return allOperations.map((operation) => ({
    operation: operation.key,
    offered: offeredEndpoint(target, operation.key) !== null,
    ...measureOperation({ operation, answers, exchanges: byOperation.get(operation.key) ?? [] }),
    requirements: [...judges].filter(([, keys]) => keys.has(operation.key)).map(([id]) => id),
  }));
}

interface MeasuredOperation {
  operation: Operation;
  answers: AnswerSchemas;
  exchanges: readonly Exchange[];
}

function measureOperation({
  operation,
  answers,
  exchanges,
}: MeasuredOperation): Pick<OperationCoverage, 'requests' | 'statuses' | 'sent' | 'received'> {
  const members = (part: 'request' | number): string[] => {
    const schema = answers.getSchema(operation, part);
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
        exchanges.flatMap(({ request }) => listQueryNames(request.url)),
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

function listQueryNames(url: string): string[] {
  return url.includes('?') ? [...new URL(url).searchParams.keys()].map((name) => `?${name}`) : [];
}

/**
 * Divides documented members into those that occurred in at least one body, and the others. The search for a member
 * stops at the first body that contains it, usually the first of all.
 */
function carriedShare(documented: readonly string[], bodies: readonly (JsonValue | undefined)[]): Share<string> {
  // Only an object or a list can contain a member.
  const holders = bodies.filter((body) => typeof body === 'object' && body !== null);
  const found = documented.filter((path) => holders.some(createCarrier(path)));
  return share(documented, found);
}

function joined<T>(one: Share<T>, other: Share<T>): Share<T> {
  return { seen: [...one.seen, ...other.seen], unseen: [...one.unseen, ...other.unseen] };
}

function share<T>(documented: readonly T[], found: readonly T[]): Share<T> {
  const known = new Set(found);
  return { seen: documented.filter((item) => known.has(item)), unseen: documented.filter((item) => !known.has(item)) };
}

/** Maximum depth of declared members; deeper members count as part of their parent. */
const depthMax = 4;

/** Resolves the reference of a schema. */
type Resolve = (schema: JsonObject) => JsonObject;

/** Returns the paths of the members that a schema declares: `files`, `files[].name`. */
function declaredMembers(schema: JsonObject, resolve: Resolve): string[] {
  return [...new Set(declared({ schema, resolve, prefix: '', depth: 0 }))];
}

interface Place {
  schema: JsonObject;
  resolve: Resolve;
  prefix: string;
  depth: number;
}

function declared({ schema, resolve, prefix, depth }: Place): string[] {
  if (depth >= depthMax) return [];
  const whole = resolve(schema);
  const inside = (inner: JsonObject, path: string, step: number): string[] =>
    declared({ schema: inner, resolve, prefix: path, depth: depth + step });
  const own = Object.entries(isJsonObject(whole['properties']) ? whole['properties'] : {}).flatMap(([name, member]) => {
    const path = prefix === '' ? name : `${prefix}.${name}`;
    return [path, ...(isJsonObject(member) ? inside(member, path, 1) : [])];
  });
  const items = isJsonObject(whole['items']) ? inside(whole['items'], `${prefix}[]`, 0) : [];
  const choices = ['allOf', 'anyOf', 'oneOf'].flatMap((word) => {
    const list = whole[word];
    return Array.isArray(list) ? list.filter(isJsonObject).flatMap((choice) => inside(choice, prefix, 0)) : [];
  });
  return [...own, ...items, ...choices];
}

/** Predicate for values that contain a member. */
type Carries = (value: JsonValue | undefined) => boolean;

/** Creates a predicate for values that contain the member at a path of `declaredMembers`. */
function createCarrier(path: string): Carries {
  const steps = path.split('.').map((part) => {
    const [name = ''] = part.split('[]');
    return { name, lists: (part.length - name.length) / 2 };
  });
  return (value) => carries(value, steps);
}

/** One step of a path such as `files[].name`: the name of a member, and the number of `[]` after it. */
interface Step {
  readonly name: string;
  readonly lists: number;
}

function carries(value: JsonValue | undefined, [step, ...rest]: readonly Step[]): boolean {
  if (step === undefined) return true;
  const member = memberOf(value, step);
  return member !== undefined && itemsIn(member, step.lists).some((item) => carries(item, rest));
}

function memberOf(value: JsonValue | undefined, { name }: Step): JsonValue | undefined {
  // An empty name means that the value itself is a list.
  if (name === '') return value;
  return isJsonObject(value) ? value[name] : undefined;
}

function itemsIn(value: JsonValue, lists: number): readonly JsonValue[] {
  if (lists === 0) return [value];
  return Array.isArray(value) ? value.flatMap((item) => itemsIn(item, lists - 1)) : [];
}
