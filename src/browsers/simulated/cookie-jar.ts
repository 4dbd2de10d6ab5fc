import type { JsonObject, JsonValue } from '#lib/json.ts';
import { isJsonObject } from '#lib/json.ts';

/** The cookies of a simulated browser. Its pages set none; DevTools clients do. */
export interface CookieJar {
  /** All of them, oldest first. */
  all(): readonly JsonObject[];
  /** Adds cookies as Storage.setCookies takes them, each in the place of the one that it names; false, and nothing is added, when one is none. */
  set(cookies: JsonValue | undefined): boolean;
  clear(): void;
}

/** A jar that holds some cookies already. */
export function createCookieJar(held: readonly JsonObject[] = []): CookieJar {
  let jar = [...held];
  return {
    all: () => jar,
    set(cookies) {
      const given = Array.isArray(cookies) ? cookies.map(cookieFrom) : [null];
      const added = given.filter((cookie) => cookie !== null);
      if (added.length < given.length) return false;
      for (const cookie of added) jar = [...jar.filter((other) => nameOf(other) !== nameOf(cookie)), cookie];
      return true;
    },
    clear() {
      jar = [];
    },
  };
}

/** What makes two cookies the same one. */
function nameOf({ name, domain, path }: JsonObject): string {
  return JSON.stringify([name, domain, path]);
}

/** A cookie as Storage.getCookies shows it, or null for one without a name, value and place. */
function cookieFrom(given: JsonValue): JsonObject | null {
  if (!isJsonObject(given)) return null;
  const { name, value, url, domain = hostOf(url), path = '/', expires } = given;
  if (typeof name !== 'string' || typeof value !== 'string' || typeof domain !== 'string') return null;
  const session = typeof expires !== 'number' || expires < 0;
  const { url: _place, ...rest } = given;
  return { ...rest, domain, path, expires: session ? -1 : expires, size: name.length + value.length, session };
}

function hostOf(url: JsonValue | undefined): string | undefined {
  return typeof url === 'string' ? URL.parse(url)?.hostname : undefined;
}
