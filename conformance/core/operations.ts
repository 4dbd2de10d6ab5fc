import { type OperationRow, operations } from '#generated/operations.ts';
import type { Exchange } from './exchange.ts';
import { type Generation, type OperationTarget, type Target, generationUrl } from './target.ts';

/** An operation by generation and id, for example `v3.getWorkspace`. The compiler refuses an unknown key. */
export type OperationKey = OperationRow extends infer Row
  ? Row extends OperationRow
    ? `${Row['version']}.${Row['id']}`
    : never
  : never;

/** An operation of the documents: a row of the generated table, with its key. */
export interface Operation {
  key: OperationKey;
  generation: Generation;
  id: string;
  /** HTTP method in upper case. */
  method: string;
  /** Path template below the base path of the generation. */
  path: string;
  queryParameters: readonly string[];
  successStatus: number;
  /** Every documented status. */
  statuses: readonly number[];
}

/** Every operation of the documents, in their order. */
export const allOperations: readonly Operation[] = operations.map((row) => ({
  // A row's version and id are the two halves of a key by construction.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a template of two unions loses their pairing
  key: `${row.version}.${row.id}` as OperationKey,
  generation: row.version,
  id: row.id,
  method: row.method.toUpperCase(),
  path: row.path,
  queryParameters: row.queryParameters,
  successStatus: row.successStatus,
  statuses: row.statuses,
}));

const byKey = new Map<string, Operation>(allOperations.map((operation) => [operation.key, operation]));

/** Returns the operation with a key. */
export function operationRow(key: OperationKey): Operation {
  const row = byKey.get(key);
  if (row === undefined) throw new Error(`generated/operations.ts has no operation ${key}`);
  return row;
}

/**
 * For each operation that the target file names in a member of its own, a function that returns this member. The
 * function returns undefined if the target does not offer the generation or, for a browser operation, standalone
 * browsers.
 */
const named: Partial<Record<OperationKey, (target: Target) => OperationTarget | null | undefined>> = {
  'v2.getTask': ({ v2 }) => v2?.getTask,
  'v2.getTaskStatus': ({ v2 }) => v2?.taskStatus,
  'v2.listTasks': ({ v2 }) => v2?.list,
  'v3.listSessions': ({ v3 }) => v3?.list,
  'v3.stopSession': ({ v3 }) => v3?.stop,
  'v3.deleteSession': ({ v3 }) => v3?.delete,
  'v4.getRun': ({ v4 }) => v4?.getRun,
  'v4.getRunStatus': ({ v4 }) => v4?.runStatus,
  'v4.listRunEvents': ({ v4 }) => v4?.events,
  'v4.cancelRun': ({ v4 }) => v4?.cancelRun,
  'v4.listRuns': ({ v4 }) => v4?.listRuns,
  'v4.getBrowser': ({ v4 }) => v4?.browsers?.get,
  'v4.listBrowsers': ({ v4 }) => v4?.browsers?.list,
};

/**
 * Returns method and path of an operation on a target; null if the target does not offer it, and always null if
 * `operations` of the target file is null. The target file takes precedence over the documents.
 */
export function offeredEndpoint(target: Target, key: OperationKey): OperationTarget | null {
  const { generation, id, method, path } = operationRow(key);
  if (target[generation] === null || target.operations === null) return null;
  // A target without standalone browsers has no browser operation in any generation.
  if (id.includes('Browser') && target.v4?.browsers === null) return null;
  const own = target.operations[generation][id];
  const said = own === undefined ? named[key]?.(target) : own;
  return said === undefined ? { method, path } : said;
}

/**
 * Returns method and path of an operation from its own member of the target (such as `v4.getRun`), even if `operations`
 * is null. Returns null if the operation has no such member, or if the member is null.
 */
export function targetFileEndpoint(target: Target, key: OperationKey): OperationTarget | null {
  return target[operationRow(key).generation] === null ? null : (named[key]?.(target) ?? null);
}

/**
 * Returns the reason why a target does not offer one of these operations; undefined if it offers all of them. If
 * `operations` of the target file is null, always returns a reason. The function `unavailable` of a scenario may return
 * this reason.
 */
export function notOffered(target: Target, keys: readonly OperationKey[]): string | undefined {
  if (target.operations === null) return 'the target file says that only what it names is offered (operations: null)';
  const missing = keys.find((key) => offeredEndpoint(target, key) === null);
  return missing === undefined ? undefined : `this target does not offer ${missing} (target file)`;
}

/**
 * Returns the operation that an exchange called: by method and path, otherwise by method and recorded operation id.
 * Undefined if the documents do not have this operation.
 */
export function findOperation(target: Target, exchange: Exchange): Operation | undefined {
  return findCalledPlace(target, exchange).operation;
}

/** The operation and path values of an exchange. */
interface CalledPlace {
  readonly operation: Operation | undefined;
  /** Values of the path parameters, in their order. */
  readonly pathValues: readonly string[];
}

/** The operation that an exchange called, with the URL and the base URL for which it was found. */
interface KnownPlace extends CalledPlace {
  readonly url: string;
  readonly base: string | undefined;
}

function findCalledPlace(target: Target, exchange: Exchange): CalledPlace {
  const base = exchange.generation === 'other' ? undefined : target[exchange.generation]?.base;
  const known = called.get(exchange);
  if (known !== undefined && known.url === target.url && known.base === base) return known;
  const call = { url: target.url, base, ...findCall(target, exchange) };
  called.set(exchange, call);
  return call;
}

/**
 * Cache of the operation that each exchange called, because every law needs this operation. The target is not part of
 * the key, because a run has several copies of its target.
 */
const called = new WeakMap<Exchange, KnownPlace>();

function findCall(target: Target, { generation, operation, request }: Exchange): CalledPlace {
  if (generation === 'other') return { operation: undefined, pathValues: [] };
  const parts = pathBelowBase(target, generation, request.url)?.split('?')[0]?.split('/');
  const candidates = byMethod.get(`${generation} ${request.method}`) ?? [];
  const fitting = parts === undefined ? undefined : candidates.find(({ steps }) => fits(steps, parts));
  const found = fitting ?? candidates.find(({ row }) => row.id === operation);
  return { operation: found?.row, pathValues: found === undefined ? [] : valuesIn(parts ?? [], found.steps) };
}

/** Operations by generation and method, with the segments of their paths. */
const byMethod = Map.groupBy(
  allOperations.map((row) => ({ row, steps: row.path.split('/') })),
  ({ row }) => `${row.generation} ${row.method}`,
);

/** Returns the path parameter values of an exchange, in their order; empty for an undocumented operation. */
export function pathValues(target: Target, exchange: Exchange): readonly string[] {
  return findCalledPlace(target, exchange).pathValues;
}

function valuesIn(parts: readonly string[], steps: readonly string[]): string[] {
  return steps.length === parts.length ? parts.filter((_part, index) => steps[index]?.startsWith('{')) : [];
}

/** Returns path and query of a URL below the base path of a generation; undefined for any other URL. */
export function pathBelowBase(target: Target, generation: Generation, url: string): string | undefined {
  const prefix = generationUrl(target, generation, '');
  return url.startsWith(prefix) ? url.slice(prefix.length) : undefined;
}

function fits(steps: readonly string[], parts: readonly string[]): boolean {
  return (
    steps.length === parts.length &&
    steps.every((step, index) => (step.startsWith('{') ? parts[index] !== '' : step === parts[index]))
  );
}
