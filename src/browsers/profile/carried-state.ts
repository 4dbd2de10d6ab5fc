import { isJsonObject, type JsonObject, type JsonValue } from '#lib/json.ts';

/**
 * Browser state that Chromium does not store in its user data. The archive of a profile contains it as a separate file.
 */
export interface CarriedState {
  /**
   * Cookies to set when the browser starts again, in DevTools format. Mainly session cookies, which Chromium does not
   * store.
   */
  readonly cookies: readonly JsonObject[];
  /** DevTools commands that changed permissions, in order. They are repeated when the browser starts again. */
  readonly permissions: readonly PermissionCommand[];
}

/** A DevTools command that grants, sets or resets permissions of pages. */
export interface PermissionCommand {
  readonly method: string;
  readonly params: JsonObject;
}

/** Name of the file with the carried state in an archive. User data are below `user-data/`. */
export const carriedName = 'carried.json';

/** Carried state of a new browser. */
export const nothingCarried: CarriedState = { cookies: [], permissions: [] };

/** Returns the content of the archive's file with the carried state. */
export function writeCarried(state: CarriedState): Buffer {
  return Buffer.from(JSON.stringify(state));
}

/**
 * Parses the output of `writeCarried` and drops invalid entries. Throws for invalid JSON, and for JSON without a list
 * of cookies and a list of permissions.
 */
export function readCarried(bytes: Uint8Array): CarriedState {
  const value: JsonValue = JSON.parse(Buffer.from(bytes).toString('utf8'));
  const state = carriedFrom(value);
  if (state === null) throw new Error('The archive holds no carried state.');
  return state;
}

/**
 * Validates a carried state that was parsed from JSON. Drops unknown members and invalid entries. Returns null if
 * `cookies` or `permissions` is no list.
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

/** Members of a cookie that Storage.getCookies returns and Storage.setCookies accepts unchanged. */
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

/**
 * Converts a cookie from the format of Storage.getCookies to that of Storage.setCookies. A session cookie gets no
 * `expires`.
 */
export function cookieParam(cookie: JsonObject): JsonObject {
  const same = sameMembers.flatMap((member) => {
    const value = cookie[member];
    return value === undefined ? [] : [[member, value] as const];
  });
  const { expires } = cookie;
  return { ...Object.fromEntries(same), ...(isSessionCookie(cookie) || expires === undefined ? {} : { expires }) };
}

/** Returns whether a cookie is a session cookie. Chromium does not store such cookies on disk. */
export function isSessionCookie({ session }: JsonObject): boolean {
  return session === true;
}

/** Returns the hosts of cookies without a leading dot, sorted and unique. */
export function cookieDomains(cookies: readonly JsonObject[]): string[] {
  const domains = cookies.flatMap(({ domain }) => (typeof domain === 'string' ? [domain.replace(/^\./, '')] : []));
  return [...new Set(domains)].toSorted();
}
