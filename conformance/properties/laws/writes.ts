import { readBack } from '#generated/rules.ts';
import type { CheckContext } from '../../core/check.ts';
import { type Exchange, refused, succeeded } from '../../core/exchange.ts';
import { type JsonValue, isJsonObject } from '../../core/json.ts';
import { type OperationKey, operationRow } from '../../core/operations.ts';
import { requestObject } from '../../core/request-json.ts';
import { type Likeness, type RecordRule, recordRules } from './records.ts';
import { type Called, readRecordId } from './observations.ts';

/** A member of a request and the member of the record that shows its value. */
export interface WrittenMember {
  readonly member: string;
  readonly shows: string;
  readonly as: Likeness;
  /** True if a null in the request must appear as null in the record. */
  readonly clears?: true;
  /** True if the record may show null instead of the value that was sent. */
  readonly mayBeNull?: true;
  /** Value in the record if the creation omits the member: the default of the OpenAPI document, or null. */
  readonly omitted?: 'default' | 'null';
  /**
   * Operations, or `followUp` for any follow-up, that may change the member. After such a request its value is unknown.
   */
  readonly until?: readonly string[];
}

/** Members that the requests of one kind of record set. */
export interface WriteRule {
  readonly record: string;
  readonly creates: readonly OperationKey[];
  readonly updates: readonly OperationKey[];
  readonly members: readonly WrittenMember[];
}

/** Write rules for every kind of record whose members requests can set. */
export const writeRules: readonly WriteRule[] = readBack.writes;

/** A value that a request set in a member of a resource, or may have set. */
export interface Write {
  readonly operation: OperationKey;
  readonly exchange: Exchange;
  readonly from: number;
  readonly to: number;
  /** The value that was set; undefined if it is unknown. */
  readonly value: JsonValue | undefined;
  /** True if the request has omitted the member. */
  readonly omitted: boolean;
}

/**
 * Returns the kind of record that an exchange has created; undefined if it created none, for a V3 follow-up, and for a
 * request that may return an existing message (`X-V4-Queue-Deduplicate`).
 */
export function createdRecordRule({ operation, exchange }: Called): RecordRule | undefined {
  const rule = madeBy.get(operation);
  if (rule === undefined || !succeeded(exchange)) return undefined;
  return isFollowUp(exchange) || 'X-V4-Queue-Deduplicate' in exchange.request.headers ? undefined : rule;
}

/** Kind of record by the operation that creates it. */
const madeBy = new Map(
  writeRules.flatMap(({ creates, record }) => {
    const made = recordRules.find((rule) => rule.record === record);
    return made === undefined ? [] : creates.map((operation): [OperationKey, RecordRule] => [operation, made]);
  }),
);

/** Returns the id of the resource that an exchange has created; undefined if the response contains no id. */
export function createdId(rule: RecordRule, { json }: Exchange): string | undefined {
  return isJsonObject(json) ? readRecordId(rule, json) : undefined;
}

/** Returns the requests that create a resource or contain its id, in the order of sending; GET requests are omitted. */
export function findRequests(calls: readonly Called[], rule: WriteRule, id: string): Called[] {
  const { all, byUuid } = getChanges(calls);
  // A request that contains an id also contains the UUID within the id.
  const [inner] = uuidsIn(id);
  const changes = inner === undefined ? all : (byUuid.get(inner) ?? []);
  return changes.flatMap(({ call, made, madeId: own }) => {
    const { operation, exchange } = call;
    if (made !== undefined && rule.creates.includes(operation)) return own === id ? [call] : [];
    return exchange.request.url.includes(id) || (exchange.request.body ?? '').includes(id) ? [call] : [];
  });
}

/** A call with another method than GET, and the resource that it created, if any. */
interface Change {
  readonly call: Called;
  readonly made: RecordRule | undefined;
  readonly madeId: string | undefined;
}

/**
 * Every request of a run that may change a resource, in the order of sending. `byUuid` has the same requests by each
 * UUID in their URL, in their body, or in the id of the resource that they created.
 */
interface Changes {
  readonly all: readonly Change[];
  readonly byUuid: ReadonlyMap<string, readonly Change[]>;
}

function getChanges(calls: readonly Called[]): Changes {
  const known = changes.get(calls) ?? findChanges(calls);
  changes.set(calls, known);
  return known;
}

const changes = new WeakMap<readonly Called[], Changes>();

function findChanges(calls: readonly Called[]): Changes {
  const all = calls
    .filter(({ exchange }) => exchange.request.method !== 'GET')
    .map((call) => {
      const made = createdRecordRule(call);
      return { call, made, madeId: made === undefined ? undefined : createdId(made, call.exchange) };
    });
  const byUuid = new Map<string, Change[]>();
  for (const change of all) {
    for (const id of collectUuids(change)) {
      const others = byUuid.get(id);
      if (others === undefined) byUuid.set(id, [change]);
      else others.push(change);
    }
  }
  return { all, byUuid };
}

/** Pattern of UUIDs with a lookahead, because one match may begin within another. */
const uuids = /(?=([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}))/gi;

function collectUuids({ call, madeId: own = '' }: Change): Set<string> {
  const { url, body = '' } = call.exchange.request;
  return new Set([url, body, own].flatMap((text) => uuidsIn(text)));
}

function uuidsIn(text: string): string[] {
  return [...text.matchAll(uuids)].flatMap(([, id]) => (id === undefined ? [] : [id]));
}

/**
 * Returns the values that requests have set in one member of a resource, in the order of sending. Refused requests are
 * omitted. The value is undefined if a request got neither a success nor a refusal, or if the request makes the value
 * of the member unknown.
 */
export function findWrites(
  t: CheckContext,
  requests: readonly Called[],
  { rule, row }: { rule: WriteRule; row: WrittenMember },
): Write[] {
  return requests.flatMap(({ operation, exchange }): Write[] => {
    const creates = rule.creates.includes(operation) && !isFollowUp(exchange);
    const updates = rule.updates.includes(operation);
    const unsettles = !creates && !updates && disturbs(row, operation, exchange);
    if ((!creates && !updates && !unsettles) || refused(exchange)) return [];
    const span = { operation, exchange, from: exchange.atMs, to: exchange.atMs + exchange.durationMs };
    if (unsettles || !succeeded(exchange)) return [{ ...span, value: undefined, omitted: false }];
    const body = requestObject(exchange);
    if (body[row.member] !== undefined) return [{ ...span, value: body[row.member], omitted: false }];
    return creates ? [{ ...span, value: whenOmitted(t, operation, row), omitted: true }] : [];
  });
}

function disturbs({ until = [] }: WrittenMember, operation: OperationKey, exchange: Exchange): boolean {
  return until.includes(operation) || (until.includes('followUp') && isFollowUp(exchange));
}

/**
 * Returns true if a request sends a further task to an existing V3 session: it was sent as a follow-up, whose path the
 * target file can name, or its body has a `sessionId`.
 */
export function isFollowUp(exchange: Exchange): boolean {
  if (exchange.operation === 'followUpSession') return true;
  return exchange.generation === 'v3' && typeof requestObject(exchange)['sessionId'] === 'string';
}

function whenOmitted(t: CheckContext, operation: OperationKey, row: WrittenMember): JsonValue | undefined {
  if (row.omitted !== 'default') return row.omitted === 'null' ? null : undefined;
  const properties = t.answers.getSchema(operationRow(operation), 'request')?.['properties'];
  const schema = isJsonObject(properties) ? properties[row.member] : undefined;
  return isJsonObject(schema) ? schema['default'] : undefined;
}
