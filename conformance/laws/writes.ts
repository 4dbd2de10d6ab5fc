import { readBack } from '#generated/rules.ts';
import type { CheckContext } from '../harness/check.ts';
import { type Exchange, refused, succeeded } from '../harness/exchange.ts';
import { type JsonObject, type JsonValue, isJsonObject, parseJson } from '../harness/json.ts';
import { type OperationKey, operationRow } from '../harness/operations.ts';
import { type Likeness, type RecordRule, recordRules } from './records.ts';
import { type Called, idOf } from './sights.ts';

/** A member of a request and the member of the record that shows it. */
export interface WrittenMember {
  readonly member: string;
  readonly shows: string;
  readonly as: Likeness;
  /** True where null is a value that the record shows. */
  readonly clears?: true;
  /** What a creation without the member shows: the default of its document, or null. */
  readonly omitted?: 'default' | 'null';
  /** Requests that name the record and after which nobody knows what it shows. */
  readonly until?: readonly string[];
}

/** What the requests of one kind of record set. */
export interface WriteRule {
  readonly record: string;
  readonly creates: readonly OperationKey[];
  readonly updates: readonly OperationKey[];
  readonly members: readonly WrittenMember[];
}

/** Every kind of record that requests set. */
export const writeRules: readonly WriteRule[] = readBack.writes;

/** A member of a thing that was set, or may have been. */
export interface Write {
  readonly operation: OperationKey;
  readonly exchange: Exchange;
  readonly from: number;
  readonly to: number;
  /** What was set; undefined where nobody can tell. */
  readonly value: JsonValue | undefined;
  /** True where the request has left the member out. */
  readonly omitted: boolean;
}

/** The kind of record that an exchange has made; undefined for every other. */
export function makes({ operation, exchange }: Called): RecordRule | undefined {
  const rule = writeRules.find(({ creates }) => creates.includes(operation));
  if (rule === undefined || !succeeded(exchange)) return undefined;
  if (isFollowUp(exchange) || 'X-V4-Queue-Deduplicate' in exchange.request.headers) return undefined;
  return recordRules.find(({ record }) => record === rule.record);
}

/** The id of what an exchange has made. */
export function madeId(rule: RecordRule, { json }: Exchange): string | undefined {
  return isJsonObject(json) ? idOf(rule, json) : undefined;
}

/** The requests that have made a thing or that name it, apart from those that only read. */
export function requestsOf(calls: readonly Called[], rule: WriteRule, id: string): Called[] {
  return changingOf(calls).filter(({ operation, exchange }) => {
    const made = makes({ operation, exchange });
    if (made !== undefined && rule.creates.includes(operation)) return madeId(made, exchange) === id;
    return exchange.request.url.includes(id) || (exchange.request.body ?? '').includes(id);
  });
}

/** Calls that do more than read: most do not, and every thing asks for its own. */
function changingOf(calls: readonly Called[]): readonly Called[] {
  const known = changing.get(calls) ?? calls.filter(({ exchange }) => exchange.request.method !== 'GET');
  changing.set(calls, known);
  return known;
}

const changing = new WeakMap<readonly Called[], readonly Called[]>();

/** What the requests of a thing have set of a member, in the order of sending. */
export function writesOf(
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
    const body = bodyOf(exchange);
    if (body[row.member] !== undefined) return [{ ...span, value: body[row.member], omitted: false }];
    return creates ? [{ ...span, value: whenOmitted(t, operation, row), omitted: true }] : [];
  });
}

function disturbs({ until = [] }: WrittenMember, operation: OperationKey, exchange: Exchange): boolean {
  return until.includes(operation) || (until.includes('followUp') && isFollowUp(exchange));
}

// A target file can give follow-ups a place of their own.
function isFollowUp(exchange: Exchange): boolean {
  if (exchange.operation === 'followUpSession') return true;
  return exchange.generation === 'v3' && typeof bodyOf(exchange)['sessionId'] === 'string';
}

function whenOmitted(t: CheckContext, operation: OperationKey, row: WrittenMember): JsonValue | undefined {
  if (row.omitted !== 'default') return row.omitted === 'null' ? null : undefined;
  const properties = t.answers.schemaOf(operationRow(operation), 'request')?.['properties'];
  const schema = isJsonObject(properties) ? properties[row.member] : undefined;
  return isJsonObject(schema) ? schema['default'] : undefined;
}

function bodyOf({ request }: Exchange): JsonObject {
  const body = parseJson(request.body ?? '');
  return isJsonObject(body) ? body : {};
}
