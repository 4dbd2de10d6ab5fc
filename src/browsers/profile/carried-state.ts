import { isJsonObject, type JsonObject, type JsonValue } from '#lib/json.ts';

/** State of a browser that its user data do not contain; stored beside them in the archive. */
export interface CarriedState {
  /** Cookies in DevTools format to set at the next start, mainly session cookies. */
  readonly cookies: readonly JsonObject[];
  /** Commands that changed permissions, in order; repeated at the next start. */
  readonly permissions: readonly PermissionCommand[];
}

/** A DevTools command that changes the permissions of an origin. */
export interface PermissionCommand {
  readonly method: string;
  readonly params: JsonObject;
}

/** Name of the carried state in an archive; user data are below `user-data/`. */
export const carriedName = 'carried.json';

/** Carried state of a new browser. */
export const nothingCarried: CarriedState = { cookies: [], permissions: [] };

/** Returns the carried state as a file of the archive. */
export function writeCarried(state: CarriedState): Buffer {
  return Buffer.from(JSON.stringify(state));
}

/**
 * Parses the output of `writeCarried`; drops invalid entries. Throws for text that is no JSON, or that lacks the list
 * of cookies or of permissions.
 */
export function readCarried(bytes: Uint8Array): CarriedState {
  const value: JsonValue = JSON.parse(Buffer.from(bytes).toString('utf8'));
  const state = carriedFrom(value);
  if (state === null) throw new Error('The archive holds no carried state.');
  return state;
}

/**
 * Validates a carried state from JSON; drops unknown members and invalid entries. Null without the lists `cookies` and
 * `permissions`.
 */
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

/** Members that Storage.getCookies returns and Storage.setCookies accepts unchanged. */
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

/** Converts a cookie of Storage.getCookies for Storage.setCookies. A session cookie stays without `expires`. */
export function cookieParam(cookie: JsonObject): JsonObject {
  const same = sameMembers.flatMap((member) => {
    const value = cookie[member];
    return value === undefined ? [] : [[member, value] as const];
  });
  const { expires } = cookie;
  return { ...Object.fromEntries(same), ...(isSessionCookie(cookie) || expires === undefined ? {} : { expires }) };
}

/** Returns whether a cookie ends with its browser; Chromium does not store such cookies. */
export function isSessionCookie({ session }: JsonObject): boolean {
  return session === true;
}

/** Returns the hosts of cookies without a leading dot, sorted and unique. */
export function cookieDomains(cookies: readonly JsonObject[]): string[] {
  const domains = cookies.flatMap(({ domain }) => (typeof domain === 'string' ? [domain.replace(/^\./, '')] : []));
  return [...new Set(domains)].toSorted();
}
