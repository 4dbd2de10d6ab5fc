import { type Exchange, keyOf, wasRejected } from '../core/exchange.ts';
import { isJsonObject } from '../core/json.ts';
import type { ScenarioContext } from '../core/scenario.ts';
import type { Target } from '../core/target.ts';
import type { RequestSpec } from '../core/request.ts';
import { faultyKeys, keyPlaceholders } from '../transport/redact.ts';

/** A well-formed key that does not exist. */
export const wrongKey = 'svc_00000000000000000000000000000000';

/** One way to send invalid or misplaced credentials with a request. */
export interface CredentialFault {
  name: string;
  /** Returns the value of the documented key header. Without this function, the request has no key header. */
  key?: (right: string) => string;
  /**
   * Returns the request with the right key at a location other than the key header. Returns undefined if the request
   * has no such location, for example no body.
   */
  change?: (spec: RequestSpec, right: string) => RequestSpec | undefined;
}

const withoutKey: readonly CredentialFault[] = [{ name: 'no key' }, { name: 'an empty key', key: () => '' }];

const wrongKeys: readonly CredentialFault[] = [
  { name: 'a wrong key', key: () => wrongKey },
  { name: 'the key without its last character', key: (right) => faultyKeys(right).shortened },
  { name: 'the key with one more character', key: (right) => faultyKeys(right).extended },
  { name: 'the key in the other case', key: (right) => faultyKeys(right).otherCase },
  { name: 'the prefix of the key alone', key: (right) => faultyKeys(right).prefix },
  { name: 'the key without its prefix', key: (right) => faultyKeys(right).withoutPrefix },
  { name: 'a list of keys that ends in the key', key: (right) => `${wrongKey}, ${right}` },
  { name: 'the prefix of the key before another secret', key: (right) => faultyKeys(right).otherSecret },
];

/** Headers with which a request claims that a proxy has forwarded it from the machine of the service. */
const fromThisMachine = { 'x-forwarded-for': '127.0.0.1', 'x-real-ip': '127.0.0.1', forwarded: 'for=127.0.0.1' };

/**
 * Further faults of each group. The suite sends them with only one request of each generation. The wrong keys are
 * similar to the right key.
 */
export const rareFaults: Readonly<Record<'noKey' | 'wrongKey' | 'otherPlace', readonly CredentialFault[]>> = {
  noKey: [{ name: 'no key from a local address', change: (spec) => withHeaders(spec, fromThisMachine) }],
  wrongKey: [
    { name: 'the key in quotes', key: (right) => `"${right}"` },
    { name: 'the key with another last character', key: (right) => faultyKeys(right).otherEnd },
    { name: 'the key after a scheme', key: (right) => `Bearer ${right}` },
  ],
  // A simple parser reads a cookie or a query only if nothing follows the key.
  otherPlace: [
    { name: 'the key in the only cookie', change: (spec, key) => withHeaders(spec, { cookie: `api_key=${key}` }) },
    {
      name: 'the key as the whole query',
      change: (spec, key) => ({ ...spec, path: `${spec.path}?api_key=${encodeURIComponent(key)}` }),
    },
  ],
};

/** Faults that send the right key in a place other than the documented header. */
const otherPlaces: readonly CredentialFault[] = [
  { name: 'the key as bearer token', change: (spec, key) => withHeaders(spec, { authorization: `Bearer ${key}` }) },
  { name: 'the key as basic credentials', change: (spec, key) => withHeaders(spec, { authorization: basic(key) }) },
  { name: 'the key as whole authorization', change: (spec, key) => withHeaders(spec, { authorization: key }) },
  { name: 'the key under another scheme', change: (spec, key) => withHeaders(spec, otherScheme(spec, key)) },
  {
    name: 'the key in other headers',
    change: (spec, key) => withHeaders(spec, Object.fromEntries(otherHeaders.map((name) => [name, key]))),
  },
  { name: 'the key in a cookie', change: (spec, key) => withHeaders(spec, { cookie: cookies(key) }) },
  { name: 'the key in the query', change: withQuery },
  { name: 'the key in the body', change: withMember },
];

/** Names under which services accept keys outside their documented header. */
const keyNames = ['api_key', 'apiKey', 'access_token', 'token', 'key', 'X-Service-API-Key'];

/** Headers in which other services accept keys. */
const otherHeaders = ['X-API-Key', 'Api-Key', 'X-Auth-Token', 'X-Access-Token', 'X-Service-Key'];

/** Schemes of the Authorization header under which other services accept keys. */
const otherSchemes = ['ApiKey', 'Token'];

function withHeaders(spec: RequestSpec, headers: Readonly<Record<string, string>>): RequestSpec {
  return { ...spec, headers };
}

/** Returns an Authorization header that contains the key under one of `otherSchemes`, chosen by the operation. */
function otherScheme({ operation }: RequestSpec, key: string): Readonly<Record<string, string>> {
  return { authorization: `${otherSchemes[operation.length % otherSchemes.length]} ${key}` };
}

/** Returns the value of an Authorization header with the key as user and as password of basic authentication. */
function basic(key: string): string {
  return `Basic ${Buffer.from(`${key}:${key}`).toString('base64')}`;
}

function cookies(key: string): string {
  return keyNames.map((name) => `${name}=${encodeURIComponent(key)}`).join('; ');
}

function withQuery(spec: RequestSpec, key: string): RequestSpec {
  return { ...spec, path: `${spec.path}?${keyNames.map((name) => `${name}=${encodeURIComponent(key)}`).join('&')}` };
}

function withMember(spec: RequestSpec, key: string): RequestSpec | undefined {
  if (!isJsonObject(spec.body)) return undefined;
  return { ...spec, body: { ...spec.body, ...Object.fromEntries(keyNames.map((name) => [name, key])) } };
}

/**
 * Invalid credentials, grouped by the requirement that they test: no key, a wrong key, and the right key in a wrong
 * place.
 */
export const credentialFaults = { noKey: withoutKey, wrongKey: wrongKeys, otherPlace: otherPlaces } as const;

/** Name of a group of invalid credentials: `noKey`, `wrongKey` or `otherPlace`. */
export type CredentialFaults = keyof typeof credentialFaults;

/**
 * Returns the request with invalid credentials. Returns undefined if the changed key equals the right key, or if the
 * fault cannot apply. For example, a request without a body cannot have a key in its body.
 */
export function withFault(spec: RequestSpec, { key, change }: CredentialFault, right: string): RequestSpec | undefined {
  const sent = key?.(right);
  const changed = change === undefined ? spec : change(spec, right);
  if (sent === right || changed === undefined) return undefined;
  return { ...changed, key: sent === undefined ? 'none' : { other: sent } };
}

/**
 * Sends each request several times: without a key, with an empty key, and with one fault of each other group of invalid
 * credentials, chosen by the seed. Checks of authentication judge the responses. After an accepted request, which takes
 * effect, no further faults are sent with this request.
 */
export async function tryCredentials(
  { send, apiKey, seed }: ScenarioContext,
  requests: readonly (RequestSpec | undefined)[],
): Promise<void> {
  for (const [index, request] of requests.entries()) {
    if (request === undefined) continue;
    const { noKey, ...groups } = credentialFaults;
    const drawn = Object.values(groups).flatMap((faults) => faults[(index + seed) % faults.length] ?? []);
    for (const fault of [...noKey, ...drawn]) {
      const spec = withFault(request, fault, apiKey);
      // One accepted request is enough, and each may take effect.
      if (spec !== undefined && !wasRejected(await send(spec))) break;
    }
  }
}

/**
 * Returns the group of invalid credentials that a recorded request had. Returns undefined for the right key, for the
 * key of another project, and for a request outside the API.
 */
export function faultsIn(exchange: Exchange, { keyHeader }: Target): CredentialFaults | undefined {
  const { generation, request } = exchange;
  const key = keyOf(exchange, keyHeader);
  if (generation === 'other' || (key !== undefined && rightKeys.includes(key))) return undefined;
  if (key !== undefined && key !== '') return 'wrongKey';
  const elsewhere = [request.url, ...Object.values(request.headers), request.body ?? ''].join(' ');
  return elsewhere.includes(keyPlaceholders.apiKey) || /\bbasic /i.test(elsewhere) ? 'otherPlace' : 'noKey';
}

const rightKeys: readonly string[] = Object.values(keyPlaceholders);
