import { check, type Check, type CheckContext } from '../../core/check.ts';
import { describeAnswer, type Exchange, createCircuitBreaker, refused } from '../../core/exchange.ts';
import { type JsonObject, type JsonValue, isJsonObject } from '../../core/json.ts';
import { suiteLimit } from '../../core/bounds.ts';
import { documentOperations, readDocuments } from '../../core/documents.ts';
import { type OperationKey, operationRow } from '../../core/operations.ts';
import { createRandom, randomUuid } from '../../core/random.ts';
import { followReferences, valueAt } from '../../core/schemas.ts';
import { createText, show } from '../../core/text.ts';
import type { ResourceKind } from '../../core/ledger.ts';
import { saysNothing } from '../../common/refusals.ts';
import { taskProbe } from '../../common/probe-bodies.ts';

/**
 * A creation whose documented bounds are tried. `unknown` returns a member with an unknown id, so that the target
 * refuses a body within the bounds and creates nothing.
 */
interface Bounded {
  operation: OperationKey;
  kind: ResourceKind;
  bare: () => JsonObject;
  unknown: (id: string) => JsonObject;
}

const bounded: readonly Bounded[] = [
  {
    operation: 'v2.createTask',
    kind: 'task',
    bare: taskProbe,
    unknown: (sessionId) => ({ sessionId }),
  },
  { operation: 'v2.createSession', kind: 'session', bare: () => ({}), unknown: (profileId) => ({ profileId }) },
  { operation: 'v4.createBrowser', kind: 'browser', bare: () => ({}), unknown: (profileId) => ({ profileId }) },
];

/** Checks of the documented bounds of creations. */
export const boundChecks: readonly Check[] = [
  check('INTERFACE-11', {}, async (t) => {
    t.operations.need();
    const breaker = createCircuitBreaker();
    for (const creation of bounded.filter(({ operation }) => t.operations.offers(operation))) {
      for (const [member, schema] of scalarMembers(creation.operation)) {
        for (const value of valuesBeyond(schema)) {
          if (breaker.on()) continue;
          const exchange = await send(t, creation, { [member]: value });
          breaker.note(exchange);
          // The companion states a separate error (403) for a timeout above the maximum.
          const isRefused = exchange.status === 422 || (exchange.status === 403 && typeof value === 'number');
          refusedOrTaken(t, { creation, member, value, exchange, holds: isRefused, expected: 'a refusal with 422' });
        }
      }
    }
  }),
  check('INTERFACE-12', {}, async (t) => {
    t.operations.need();
    const id = randomUuid(createRandom(t.seed + 9));
    for (const creation of bounded.filter(({ operation }) => t.operations.offers(operation))) {
      const without = await send(t, creation, creation.unknown(id));
      // A target that checks the id first says nothing about the bounds.
      if (!refused(without) || without.status === 422 || saysNothingOfBounds(without)) continue;
      for (const [member, schema] of scalarMembers(creation.operation)) {
        for (const value of valuesWithin(schema)) {
          const exchange = await send(t, creation, { ...creation.unknown(id), [member]: value });
          const holds = exchange.status === without.status;
          const expected = `${without.status}, as without it`;
          refusedOrTaken(t, { creation, member, value, exchange, holds, expected });
        }
      }
    }
  }),
];

interface Tried {
  creation: Bounded;
  member: string;
  value: JsonValue;
  exchange: Exchange;
  holds: boolean;
  expected: string;
}

/**
 * Judges the answer to a request with one value of a member. Does not judge an answer that does not depend on the
 * request.
 */
function refusedOrTaken(t: CheckContext, { creation, member, value, exchange, holds, expected }: Tried): void {
  const cell = `${creation.operation} ${member} ${show(value)}`;
  const message = `${cell} ${describeAnswer(exchange)}; expected ${expected}`;
  if (!saysNothingOfBounds(exchange)) t.expect(holds, { cell, exchange, message });
}

/** Returns true for an answer about credit or load, which does not depend on the request. */
function saysNothingOfBounds(exchange: Exchange): boolean {
  return saysNothing(exchange) || exchange.status === 429;
}

function send(t: CheckContext, { operation, kind, bare }: Bounded, members: JsonObject): Promise<Exchange> {
  return t.operations.probe(kind, operation, { body: { ...bare(), ...members } });
}

/**
 * Returns the members of a request body with their resolved schemas, except URLs. Adds the maximum of `timeout`, which
 * the documents omit.
 */
function scalarMembers(key: OperationKey): [string, JsonObject][] {
  const { generation, id } = operationRow(key);
  const document = readDocuments('openapi')[generation];
  const found = documentOperations(readDocuments('openapi')).find(
    (one) => one.generation === generation && one.id === id,
  );
  const body = valueAt(found?.operation ?? {}, ['requestBody', 'content', 'application/json', 'schema']);
  const { properties } = resolve(document, body);
  const members = Object.entries(isJsonObject(properties) ? properties : {});
  // The companion states no bounds of addresses. The documents omit the maximum of `timeout`, because a larger value is
  // refused with 403.
  return members
    .filter(([name]) => !name.endsWith('Url'))
    .map(([name, schema]) => {
      const most = name === 'timeout' ? { maximum: suiteLimit('browserTimeoutMax') } : {};
      return [name, { ...most, ...resolve(document, schema) }];
    });
}

/** Resolves the references of a schema; of several alternatives, returns the first that is not null. */
function resolve(document: JsonObject, schema: JsonValue | undefined): JsonObject {
  const found = followReferences(document, schema);
  const { anyOf } = found;
  if (!Array.isArray(anyOf)) return found;
  return resolve(
    document,
    anyOf.find((one) => isJsonObject(one) && one['type'] !== 'null'),
  );
}

/** Returns the type of a schema that may also allow null. */
function findType({ type }: JsonObject): JsonValue | undefined {
  return Array.isArray(type) ? type.find((one) => one !== 'null') : type;
}

/** A text that no parser converts to a number or a boolean. Tolerant parsers convert `"5"` and `yes`. */
const word = 'svc-word';

/**
 * Returns values outside the bounds of a schema; for a number with a minimum, a boolean and a map of texts, also a
 * value of another type.
 */
function valuesBeyond(schema: JsonObject): JsonValue[] {
  const { minimum, maximum, minLength, maxLength, additionalProperties } = schema;
  const numbers = [
    ...(typeof minimum === 'number' ? [minimum - 1, minimum + 0.5, word] : []),
    ...(typeof maximum === 'number' ? [maximum + 1] : []),
  ];
  if (findType(schema) === 'integer') return numbers;
  if (findType(schema) === 'boolean') return [word];
  const isMap = isJsonObject(additionalProperties) && additionalProperties['type'] === 'string';
  if (isMap) return [{ label: [word] }];
  if (findType(schema) !== 'string') return [];
  const long = typeof maxLength === 'number' ? [createText(maxLength + 1)] : [];
  return [...(Number(minLength) > 0 ? [''] : []), ...long];
}

function valuesWithin(schema: JsonObject): JsonValue[] {
  const { minimum, maximum, maxLength } = schema;
  if (findType(schema) === 'integer') return [minimum, maximum].filter((one) => typeof one === 'number');
  const isText = findType(schema) === 'string' && typeof maxLength === 'number';
  return isText ? [createText(maxLength)] : [];
}
