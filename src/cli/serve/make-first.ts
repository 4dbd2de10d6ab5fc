import { hasKeys, newApiKey } from '#accounts/api-keys.ts';
import { createLoginLinks, linkAddress } from '#api/console/index.ts';
import type { Backend } from '#api/create-backend.ts';
import type { ControlledClock } from '#lib/clock/clock.ts';
import type { RuleBook } from '#contract/rule-book.ts';

/** A key for a service that has none; null where it has one. */
export async function makeFirstKey(backend: Backend): Promise<string | null> {
  if (await hasKeys(backend.db)) return null;
  const key = newApiKey();
  await backend.addKey(key);
  return key;
}

/** A way into the console, to the project of the first key; `base` is the address of the service. */
export async function makeFirstLink(
  { db }: Backend,
  parts: { readonly clock: ControlledClock; readonly rules: RuleBook },
  base: string,
): Promise<string> {
  const { id } = await db.selectFrom('projects').select('id').orderBy('created_at').executeTakeFirstOrThrow();
  return linkAddress(base, await createLoginLinks({ ...parts, db }).make(id));
}
