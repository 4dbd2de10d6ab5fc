import { type OperationRow, operations } from '#generated/operations.ts';
import type { Exchange } from './exchange.ts';
import type { Generation, OperationTarget, Target } from './target.ts';

/** An operation by generation and id, for example `v3.getWorkspace`; the compiler knows them all. */
export type OperationKey = OperationRow extends infer Row
  ? Row extends OperationRow
    ? `${Row['version']}.${Row['id']}`
    : never
  : never;

/** A row of the generated table with the key that names it. */
export interface Operation {
  key: OperationKey;
  generation: Generation;
  id: string;
  /** Upper case. */
  method: string;
  /** Template below the generation's base. */
  path: string;
  queryParameters: readonly string[];
  successStatus: number;
  /** Every status that the documents have for it. */
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

/** The row of a key. */
export function operationRow(key: OperationKey): Operation {
  const row = byKey.get(key);
  if (row === undefined) throw new Error(`generated/operations.ts has no operation ${key}`);
  return row;
}

/** Members of the target file that name an operation of the documents; undefined = the file says nothing of it. */
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

/** Where a target offers an operation; null where it does not. What its file says wins over the documents. */
export function placeOf(target: Target, key: OperationKey): OperationTarget | null {
  const { generation, id, method, path } = operationRow(key);
  if (target[generation] === null || target.operations === null) return null;
  // A target without standalone browsers has them in no generation.
  if (id.includes('Browser') && target.v4?.browsers === null) return null;
  const own = target.operations[generation][id];
  const said = own === undefined ? named[key]?.(target) : own;
  return said === undefined ? { method, path } : said;
}

/** Where the target file itself names an operation, also where it says that nothing else is offered; null where it does not. */
export function namedPlace(target: Target, key: OperationKey): OperationTarget | null {
  return target[operationRow(key).generation] === null ? null : (named[key]?.(target) ?? null);
}

/** Why a target cannot be driven with these operations; undefined when it can. For `unavailable` of a scenario. */
export function notOffered(target: Target, keys: readonly OperationKey[]): string | undefined {
  if (target.operations === null) return 'the target file says that only what it names is offered (operations: null)';
  const missing = keys.find((key) => placeOf(target, key) === null);
  return missing === undefined ? undefined : `this target does not offer ${missing} (target file)`;
}

/** The operation that an exchange called; undefined for anything that the documents do not have. */
export function findOperation(target: Target, exchange: Exchange): Operation | undefined {
  return callOf(target, exchange).operation;
}

/** What an exchange has called. */
interface CalledPlace {
  readonly operation: Operation | undefined;
  /** Values of the parameters in its path, in their order. */
  readonly pathValues: readonly string[];
}

/** The same, and where the target was taken to be. */
interface KnownPlace extends CalledPlace {
  readonly url: string;
  readonly base: string | undefined;
}

function callOf(target: Target, exchange: Exchange): CalledPlace {
  const base = exchange.generation === 'other' ? undefined : target[exchange.generation]?.base;
  const known = called.get(exchange);
  if (known !== undefined && known.url === target.url && known.base === base) return known;
  const call = { url: target.url, base, ...findCall(target, exchange) };
  called.set(exchange, call);
  return call;
}

/** What each exchange has called: every law asks that of every exchange. Not by target, of which a run has more than one copy. */
const called = new WeakMap<Exchange, KnownPlace>();

function findCall(target: Target, { generation, operation, request }: Exchange): CalledPlace {
  if (generation === 'other') return { operation: undefined, pathValues: [] };
  const parts = pathBelowBase(target, generation, request.url)?.split('?')[0]?.split('/');
  const candidates = byMethod.get(`${generation} ${request.method}`) ?? [];
  const fitting = parts === undefined ? undefined : candidates.find(({ steps }) => fits(steps, parts));
  const found = fitting ?? candidates.find(({ row }) => row.id === operation);
  return { operation: found?.row, pathValues: found === undefined ? [] : valuesIn(parts ?? [], found.steps) };
}

/** Operations by generation and method, with the steps of their paths. */
const byMethod = Map.groupBy(
  allOperations.map((row) => ({ row, steps: row.path.split('/') })),
  ({ row }) => `${row.generation} ${row.method}`,
);

/** Values of the parameters in the path of an exchange, in their order; none for an operation that the documents do not have. */
export function pathValues(target: Target, exchange: Exchange): readonly string[] {
  return callOf(target, exchange).pathValues;
}

function valuesIn(parts: readonly string[], steps: readonly string[]): string[] {
  return steps.length === parts.length ? parts.filter((_part, index) => steps[index]?.startsWith('{')) : [];
}

/** Path and query of an address below the base of a generation; undefined for any other address. */
export function pathBelowBase(target: Target, generation: Generation, url: string): string | undefined {
  const base = target[generation]?.base ?? `/api/${generation}`;
  const prefix = /^https?:/.test(base) ? base : target.url + base;
  return url.startsWith(prefix) ? url.slice(prefix.length) : undefined;
}

function fits(steps: readonly string[], parts: readonly string[]): boolean {
  return (
    steps.length === parts.length &&
    steps.every((step, index) => (step.startsWith('{') ? parts[index] !== '' : step === parts[index]))
  );
}
