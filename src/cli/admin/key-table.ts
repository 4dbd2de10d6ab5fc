import type { IssuedKey } from '#accounts/api-keys.ts';
import { shownTime } from './shown-time.ts';
import { table } from './table.ts';

/** Keys as a table, with what each is worth at `nowMs`. */
export function keyTable(keys: readonly IssuedKey[], nowMs: number): string {
  const titles = ['ID', 'KEY', 'STATE', 'PROJECT', 'CREATED', 'LAST USED', 'EXPIRES', 'NAME'];
  const row = (key: IssuedKey): string[] => [
    key.id,
    `${key.prefix}...`,
    stateOf(key, nowMs),
    key.projectId,
    shownTime(key.createdAtMs, ''),
    shownTime(key.lastUsedAtMs, 'never'),
    shownTime(key.expiresAtMs, 'never'),
    key.name ?? '',
  ];
  return table([titles, ...keys.map(row)]);
}

function stateOf({ revokedAtMs, expiresAtMs }: IssuedKey, nowMs: number): string {
  if (revokedAtMs !== null) return 'revoked';
  return expiresAtMs !== null && expiresAtMs <= nowMs ? 'expired' : 'active';
}
