import { isJsonObject, type JsonObject, type JsonValue } from '#lib/json.ts';

/** What of a browser its user data do not hold: it goes into the archive beside them. */
export interface CarriedState {
  /** Cookies as DevTools shows them that are set again at the next start, session cookies above all. */
  readonly cookies: readonly JsonObject[];
  /** Commands that gave or took permissions, in their order: they are given again at the next start. */
  readonly permissions: readonly PermissionCommand[];
}

/** A DevTools command that changes what pages of an origin may do. */
export interface PermissionCommand {
  readonly method: string;
  readonly params: JsonObject;
}

/** The name of the carried state in an archive; the user data lie below `user-data/`. */
export const carriedName = 'carried.json';

/** What a fresh browser carries. */
export const nothingCarried: CarriedState = { cookies: [], permissions: [] };

/** The carried state as text of an archive. */
export function writeCarried(state: CarriedState): Buffer {
  return Buffer.from(JSON.stringify(state));
}

/** Reads what `writeCarried` wrote; throws for anything else. */
export function readCarried(bytes: Uint8Array): CarriedState {
  const value: JsonValue = JSON.parse(Buffer.from(bytes).toString('utf8'));
  const state = carriedFrom(value);
  if (state === null) throw new Error('The archive holds no carried state.');
  return state;
}

/** A carried state that went through JSON, without members of a later release; null for anything else. */
export function carriedFrom(value: JsonValue | undefined): CarriedState | null {
  const { cookies, permissions } = isJsonObject(value) ? value : {};
  if (!Array.isArray(cookies) || !Array.isArray(permissions)) return null;
  return {
    cookies: cookies.filter(isJsonObject),
    permissions: permissions
      .filter(isJsonObject)
      .flatMap(({ method, params }) =>
        typeof method === 'string' && isJsonObject(params) ? [{ method, params }] : [],
      ),
  };
}

/** Members of a cookie of Storage.getCookies that Storage.setCookies takes as they are. */
const sameMembers = [
  'name',
  'value',
  'domain',
  'path',
  'secure',
  'httpOnly',
  'sameSite',
  'priority',
  'sourceScheme',
  'sourcePort',
  'partitionKey',
] as const;

/** A cookie that Storage.getCookies showed, for Storage.setCookies. One that ends with its session has no `expires` again. */
export function cookieParam(cookie: JsonObject): JsonObject {
  const same = sameMembers.flatMap((member) => {
    const value = cookie[member];
    return value === undefined ? [] : [[member, value] as const];
  });
  const { expires } = cookie;
  return { ...Object.fromEntries(same), ...(isSessionCookie(cookie) || expires === undefined ? {} : { expires }) };
}

/** Whether a cookie ends with its browser: Chromium never writes such a one down. */
export function isSessionCookie({ session }: JsonObject): boolean {
  return session === true;
}

/** The hosts that cookies belong to, without the dot of those that hosts below share; each once, in order. */
export function cookieDomains(cookies: readonly JsonObject[]): string[] {
  const domains = cookies.flatMap(({ domain }) => (typeof domain === 'string' ? [domain.replace(/^\./, '')] : []));
  return [...new Set(domains)].toSorted();
}
