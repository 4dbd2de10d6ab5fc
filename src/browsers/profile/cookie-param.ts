import type { JsonObject } from '#lib/json.ts';

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
