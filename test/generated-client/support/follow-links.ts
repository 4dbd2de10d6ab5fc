import { type JsonObject, type JsonValue, isJsonObject } from '#lib/json.ts';
import v2 from '#generated/openapi/v2.json' with { type: 'json' };
import v3 from '#generated/openapi/v3.json' with { type: 'json' };
import v4 from '#generated/openapi/v4.json' with { type: 'json' };
import { listResponses, type Target, listTargets } from '../../../src/cli/spec/link-problems.ts';

const documents = { v2, v3, v4 } as const;

/** A response of an operation, from which links start. */
export interface Answered {
  /** HTTP method in lower case. */
  readonly method: string;
  /** Path of the document, with its parameters in braces. */
  readonly schemaPath: string;
  /** Parameters of the path of the request. */
  readonly path: Readonly<Record<string, unknown>>;
  readonly status: number;
  readonly body: JsonObject;
}

/** A request of a link. */
export interface Followed {
  /** Operation and link, for example `createRun.getRun`. */
  readonly link: string;
  /** Path and query below the base of the generation. */
  readonly address: string;
}

/** Returns the GET requests of a response's links. A link whose parameter is missing or null has no request. */
export function listLinkRequests(version: keyof typeof documents, answered: Answered): Followed[] {
  const targets = listTargets(documents[version]);
  const source = [...targets.values()].find(
    ({ method, path }) => method === answered.method && path === answered.schemaPath,
  );
  const links = source === undefined ? [] : listResponses(documents[version], source);
  return links
    .filter(({ status }) => status === String(answered.status))
    .flatMap((answer) => answer.links)
    .flatMap(({ name, operationId, parameters }) => {
      const target = targets.get(operationId);
      const address = target?.method === 'get' ? resolveAddress(target, parameters, answered) : null;
      return address === null ? [] : [{ link: `${source?.id ?? ''}.${name}`, address }];
    });
}

function resolveAddress(
  target: Target,
  expressions: Readonly<Record<string, JsonValue>>,
  answered: Answered,
): string | null {
  const values = Object.entries(expressions).map(
    ([name, expression]) => [name, evaluate(String(expression), answered)] as const,
  );
  if (values.some(([, value]) => value === null)) return null;
  let path = target.path;
  const query = new URLSearchParams();
  for (const [name, value] of values) {
    if (path.includes(`{${name}}`)) path = path.replace(`{${name}}`, encodeURIComponent(String(value)));
    else query.set(name, String(value));
  }
  return query.size === 0 ? path : `${path}?${query.toString()}`;
}

/**
 * Returns the value of a runtime expression such as `$response.body#/items/0/id` or `$request.path.session_id`. Returns
 * null for a value that is neither a string nor a number.
 */
function evaluate(expression: string, { path, body }: Answered): string | number | null {
  const parameter = /^\$request\.path\.(.+)$/.exec(expression)?.[1];
  let found: unknown = parameter === undefined ? body : path[parameter];
  const pointer = /^\$response\.body#\/(.+)$/.exec(expression)?.[1]?.split('/') ?? [];
  for (const part of pointer)
    found = Array.isArray(found) ? found[Number(part)] : isJsonObject(found) ? found[part] : null;
  return typeof found === 'string' || typeof found === 'number' ? found : null;
}
