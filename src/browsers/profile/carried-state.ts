import { type JsonObject, type JsonValue, isJsonObject } from '#lib/json.ts';

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
