import type { Call, OperationApi } from '../core/apis.ts';
import type { AnswerSchemas } from '../core/answer-schemas.ts';
import type { RequestSpec, Send } from '../core/request.ts';
import { succeeded } from '../core/exchange.ts';
import type { Ledger, ResourceKind, Resources } from '../core/ledger.ts';
import { type OperationKey, notOffered, operationRow, offeredEndpoint } from '../core/operations.ts';
import { NotTestable, OwnRequestError } from '../core/outcome.ts';
import { encodePart } from '../core/path-with-id.ts';
import type { Target } from '../core/target.ts';

/** Dependencies of the documented operations. */
interface OperationApiOptions {
  target: Target;
  send: Send;
  resources: Resources;
  ledger: Ledger;
  answers: AnswerSchemas;
}

/**
 * For each operation that ends a resource when it succeeds, the kind of the resource. The key is the operation id,
 * which means the same in every generation.
 */
const removes: Readonly<Record<string, ResourceKind>> = {
  deleteProfile: 'profile',
  deleteWorkspace: 'workspace',
  deleteSession: 'session',
};

/** Creates the documented operations of one target. */
export function createOperationApi({ target, send, resources, ledger, answers }: OperationApiOptions): OperationApi {
  function buildSpec(key: OperationKey, call: Call): RequestSpec {
    need(key);
    const { generation, id } = operationRow(key);
    const place = offeredEndpoint(target, key) ?? { method: '', path: '' };
    const body = call.body ?? place.body;
    const problems = call.invalid === true || body === undefined ? [] : answers.requestProblems(key, body);
    if (problems.length > 0) throw new OwnRequestError(`${key}: ${problems.join('; ')}`);
    return {
      generation,
      operation: id,
      method: place.method,
      path: fill(place.path, call.path ?? []) + queryText(call.query ?? {}),
      ...(body === undefined ? {} : { body }),
      ...(call.key === undefined ? {} : { key: call.key }),
      ...(call.headers === undefined ? {} : { headers: call.headers }),
      ...pickFlags(call),
    };
  }

  function need(...keys: OperationKey[]): void {
    const reason = notOffered(target, keys);
    if (reason !== undefined) throw new NotTestable(reason);
  }

  return {
    offers: (key) => offeredEndpoint(target, key) !== null,
    need,
    call: async (key, call = {}) => {
      const exchange = await send(buildSpec(key, call));
      const kind = removes[operationRow(key).id];
      const entry = kind === undefined ? undefined : ledger.find(kind, call.path?.[0] ?? '');
      if (entry !== undefined && succeeded(exchange) && (call.key ?? 'right') === 'right') {
        ledger.update(entry, { state: 'ended' });
      }
      return exchange;
    },
    create: (kind, key, call = {}) => resources.create(kind, buildSpec(key, call)),
    trial: (kind, key, call = {}) => resources.trial(kind, buildSpec(key, call)),
    request: (key, call = {}) => (offeredEndpoint(target, key) === null ? undefined : buildSpec(key, call)),
    probe: (kind, key, call = {}) => resources.probe(kind, buildSpec(key, { ...call, invalid: true })),
  };
}

function pickFlags({ invalid, overload }: Call): Pick<RequestSpec, 'invalid' | 'overload'> {
  return { ...(invalid === undefined ? {} : { invalid }), ...(overload === undefined ? {} : { overload }) };
}

function fill(path: string, values: readonly string[]): string {
  const rest = [...values];
  return path.replaceAll(/\{[^{}]*\}/g, () => encodePart(rest.shift() ?? ''));
}

function queryText(query: NonNullable<Call['query']>): string {
  const search = new URLSearchParams(
    Object.entries(query).flatMap(([name, value]) =>
      (typeof value === 'object' ? value : [value]).map((item): [string, string] => [name, String(item)]),
    ),
  );
  return search.size === 0 ? '' : `?${search.toString()}`;
}
