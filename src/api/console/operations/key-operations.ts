import type { ConsoleKey } from '#contract/console-messages.ts';
import { isJsonObject } from '#lib/json.ts';
import { problem } from '#contract/problems.ts';
import type { IssuedKey } from '#accounts/api-keys.ts';
import type { ConsoleOperation } from '../console-operation.ts';

/** Lists the API keys of the project, newest first. */
export const listKeys: ConsoleOperation = {
  guard: 'login',
  async answer({ login }, { keys, clock }) {
    const issued = await keys.list(login.projectId);
    return { status: 200, body: issued.toReversed().map((key) => shownKey(key, clock.now())) };
  },
};

/** Creates an API key. Only this response contains the key. */
export const createKey: ConsoleOperation = {
  guard: 'login',
  async answer({ login, body }, { keys, clock }) {
    // A key must not give a right that its creator lacks. The spend of a new key counts only for that key.
    if (login.monthlyMicros !== null) return problem('limited_key_creates_key', {});
    const wanted = isJsonObject(body) ? body : {};
    const nowMs = clock.now();
    const expiresAtMs = typeof wanted['expiresAt'] === 'string' ? Date.parse(wanted['expiresAt']) : null;
    if (expiresAtMs !== null && expiresAtMs <= nowMs)
      return problem('expiry_passed', { found: new Date(expiresAtMs).toISOString() }, ['body', 'expiresAt']);
    const maySchedule = wanted['maySchedule'] === true;
    if (maySchedule && !login.maySchedule) return problem('schedule_right_missing', {});
    const name = typeof wanted['name'] === 'string' ? wanted['name'] : null;
    const monthlyMicros = typeof wanted['monthlyMicros'] === 'number' ? wanted['monthlyMicros'] : null;
    const given = { projectId: login.projectId, name, nowMs, expiresAtMs };
    const made = await keys.issue({ ...given, maySchedule, monthlyMicros });
    return { status: 200, body: { key: made.key, issued: shownKey(made.issued, nowMs) } };
  },
};

/** Revokes an API key of the project at once, which also ends the logins that were created with the key. */
export const revokeKey: ConsoleOperation = {
  guard: 'login',
  async answer({ login, path }, { keys, clock }) {
    const id = path['key_id'] ?? '';
    const isOwnKey = (await keys.list(login.projectId)).some((key) => key.id === id);
    const revoked = isOwnKey ? await keys.revoke(id, clock.now()) : null;
    return revoked === null ? problem('key_not_found', {}) : { status: 200, body: shownKey(revoked, clock.now()) };
  },
};

function shownKey(key: IssuedKey, nowMs: number): ConsoleKey {
  const iso = (timeMs: number | null): string | null => (timeMs === null ? null : new Date(timeMs).toISOString());
  return {
    id: key.id,
    prefix: key.prefix,
    name: key.name,
    state: keyState(key, nowMs),
    createdAt: new Date(key.createdAtMs).toISOString(),
    lastUsedAt: iso(key.lastUsedAtMs),
    expiresAt: iso(key.expiresAtMs),
    maySchedule: key.maySchedule,
    monthlyMicros: key.monthlyMicros,
  };
}

function keyState({ revokedAtMs, expiresAtMs }: IssuedKey, nowMs: number): ConsoleKey['state'] {
  if (revokedAtMs !== null) return 'revoked';
  return expiresAtMs !== null && expiresAtMs <= nowMs ? 'expired' : 'active';
}
