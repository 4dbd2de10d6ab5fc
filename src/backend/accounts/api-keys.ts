import { createHash, randomBytes } from 'node:crypto';
import { service } from '#generated/rules.ts';
import type { Database } from '../storage/database.ts';

/** Every key starts with this (contract section 5; the value is the companion's). */
const keyPrefix = service.keyPrefix.value;

const secretBytes = 32;
const shownCharacters = 8;

/** Who a key speaks for. */
export interface Principal {
  readonly projectId: string;
}

/** Makes a new key: prefix and 32 random bytes. It is shown once; only its hash is kept. */
export function newApiKey(): string {
  return `${keyPrefix}${randomBytes(secretBytes).toString('base64url')}`;
}

/** The project that a key belongs to, or null for a key that nobody issued. */
export async function principalOf(db: Database, key: string): Promise<Principal | null> {
  const row = await db.selectFrom('api_keys').select('project_id').where('hash', '=', hashKey(key)).executeTakeFirst();
  return row === undefined ? null : { projectId: row.project_id };
}

/** Makes a project of its own for a key, unless the key is known already. Times are milliseconds since the epoch. */
export async function bootstrapKey(
  db: Database,
  key: string,
  make: { newId: () => string; now: number },
): Promise<void> {
  if (!key.startsWith(keyPrefix) || key.length <= keyPrefix.length) {
    throw new Error(
      `found a bootstrap key that does not start with "${keyPrefix}", expected ${keyPrefix} followed by the secret part`,
    );
  }
  await db.transaction().execute(async (trx) => {
    const hash = hashKey(key);
    const known = await trx.selectFrom('api_keys').select('hash').where('hash', '=', hash).executeTakeFirst();
    if (known !== undefined) return;
    const project = { id: make.newId(), name: `project of ${shown(key)}`, created_at: make.now };
    await trx.insertInto('projects').values(project).execute();
    await trx
      .insertInto('api_keys')
      .values({ hash, prefix: shown(key), project_id: project.id, created_at: make.now })
      .execute();
  });
}

/** Whether any key exists. */
export async function hasKeys(db: Database): Promise<boolean> {
  return (await db.selectFrom('api_keys').select('hash').limit(1).executeTakeFirst()) !== undefined;
}

/** Whether the project has stored a key of that model provider. */
export async function hasProviderKey(db: Database, projectId: string, provider: string): Promise<boolean> {
  const row = await db
    .selectFrom('provider_keys')
    .select('provider')
    .where('project_id', '=', projectId)
    .where('provider', '=', provider)
    .executeTakeFirst();
  return row !== undefined;
}

function hashKey(key: string): string {
  return createHash('sha256').update(key).digest('hex');
}

function shown(key: string): string {
  return key.slice(0, shownCharacters);
}
