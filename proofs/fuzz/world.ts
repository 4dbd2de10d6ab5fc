import { type JsonValue, isJsonObject } from '#conformance/core/json.ts';
import type { OperationKey } from '#conformance/core/operations.ts';
import type { FuzzedRequest } from './fuzzed-request.ts';

/** Known values of a service by kind: the API key, and the ids, URLs and cursors of its responses. */
export interface World {
  /**
   * Replaces the placeholders of a request by known values. If no value of a kind is known, its placeholders become a
   * value that no record has.
   */
  resolve<R extends FuzzedRequest>(request: R): R;
  /** Adds the ids, URLs and cursors of a response to the known values. */
  learn(operation: OperationKey | null, body: JsonValue): void;
  /** Forgets all known values except the API key. */
  forget(): void;
}

/** Maximum number of remembered records of each kind. */
const keptMax = 32;
const nobody = '00000000-0000-4000-8000-000000000000';

/**
 * Operations that create a record, each with the kind of the record. The response contains the record's id. A record
 * that several generations share has one kind.
 */
const creations: Readonly<Partial<Record<OperationKey, string>>> = {
  'v2.createSession': 'v2.session_id',
  'v2.createTask': 'v2.task_id',
  'v2.createProfile': 'profile_id',
  'v3.createSession': 'v3.session_id',
  'v3.createWorkspace': 'workspace_id',
  'v3.createProfile': 'profile_id',
  'v4.createRun': 'v4.run_id',
  'v4.createMessage': 'v4.message_id',
  'v4.createBrowser': 'v4.id',
  'v4.createWorkspace': 'workspace_id',
  'v4.createProfile': 'profile_id',
};

/**
 * Response members that contain a URL, by name. Each has the kind of the URL, and a function that returns the part of
 * the URL that requests use.
 */
const addresses = new Map<string, readonly [string, (url: URL) => string]>([
  ['cdpUrl', ['cdp', ({ pathname }) => pathname]],
  ['liveUrl', ['live', ({ pathname }) => `${pathname}/socket`]],
  ['viewOnlyUrl', ['view', ({ pathname }) => `${pathname}/socket`]],
  ['uploadUrl', ['upload', getPath]],
  ['presignedUrl', ['upload', getPath]],
  ['url', ['signed', getPath]],
  ['screenshotUrl', ['signed', getPath]],
  ['recordingUrl', ['signed', getPath]],
  ['downloadUrl', ['signed', getPath]],
  ['shareUrl', ['signed', getPath]],
]);

function getPath({ pathname, search }: URL): string {
  return pathname + search;
}

/** Creates a collection of known records that contains only the API key. */
export function createWorld(key: string): World {
  const pools = new Map<string, string[]>([['key', [key]]]);
  const add = (name: string, value: string): void => {
    const pool = pools.get(name) ?? [];
    if (!pool.includes(value)) pools.set(name, [...pool, value].slice(-keptMax));
  };
  const known = (text: string): string =>
    text.includes('@{')
      ? text.replaceAll(/@\{([\w.]+):(\d+)\}/g, (_whole, name: string, number: string) => {
          const pool = pools.get(name) ?? [];
          return pool[Number(number) % pool.length] ?? getNothing(name);
        })
      : text;
  return {
    resolve: (request) =>
      request.kind === 'raw'
        ? { ...request, pieces: request.pieces.map(known) }
        : {
            ...request,
            path: known(request.path),
            headers: request.headers.map(([name, value]) => [name, known(value)] as const),
            body: request.body === null ? null : known(request.body),
          },
    learn(operation, body) {
      const kind = operation === null ? undefined : creations[operation];
      if (kind !== undefined && isJsonObject(body)) {
        const { id } = body;
        if (typeof id === 'string' || typeof id === 'number') add(kind, String(id));
        const generation = kind.slice(0, 2);
        if (typeof body['sessionId'] === 'string') add(`${generation}.session_id`, body['sessionId']);
      }
      readAddresses(body, add);
    },
    forget() {
      pools.clear();
      pools.set('key', [key]);
    },
  };
}

/** Collects the service's own URLs, the file ids and the cursors of a response. */
function readAddresses(value: JsonValue, add: (name: string, value: string) => void): void {
  if (Array.isArray(value)) for (const item of value) readAddresses(item, add);
  if (!isJsonObject(value)) return;
  for (const [name, member] of Object.entries(value)) {
    if (typeof member === 'string') readText(name, member, add);
    else readAddresses(member, add);
  }
  const isFile = 'uploadUrl' in value || 'fileName' in value || 'path' in value;
  if (isFile && typeof value['id'] === 'string') add('file_id', value['id']);
}

function readText(name: string, text: string, add: (name: string, value: string) => void): void {
  const [kind, part] = addresses.get(name) ?? [];
  if (kind !== undefined && part !== undefined && isOurs(text)) add(kind, part(new URL(text)));
  if (name === 'nextCursor') add('cursor', encodeURIComponent(text));
}

/**
 * Returns true for an HTTP or websocket URL on 127.0.0.1 with a port, which is the form of the service's own URLs.
 * Responses also contain URLs of visited pages.
 */
function isOurs(text: string): boolean {
  return /^(?:http|ws):\/\/127\.0\.0\.1:\d+\//.test(text) && URL.canParse(text);
}

/** Returns a valid but unknown value for a kind without known values. */
function getNothing(name: string): string {
  return ['cdp', 'live', 'view', 'upload', 'signed'].includes(name) ? `/${name}/none` : nobody;
}
