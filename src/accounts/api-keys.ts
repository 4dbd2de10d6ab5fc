import { randomBytes } from 'node:crypto';
import type { Database } from '#store/database.ts';
import { inTransaction } from '#store/transaction.ts';
import { type Grant, grantColumns } from './grant.ts';
import { hashOf, keyPrefix, shownPrefixOf } from './key-hash.ts';

export type { Grant } from './grant.ts';

const secretBytes = 32;

/** Makes a new key: prefix and 32 random bytes. It is shown once; only its hash is kept. */
export function newApiKey(): string {
  return `${keyPrefix}${randomBytes(secretBytes).toString('base64url')}`;
}

/**
 * Makes a project of its own for a key, unless the key is known already, and gives it what is granted. A known key stays as it is: one
 * that has been revoked does not come back. Times are milliseconds since the epoch.
 */
export async function bootstrapKey(
  db: Database,
  key: string,
  make: { newId: () => string; now: number; grant: Grant },
): Promise<void> {
  if (!key.startsWith(keyPrefix) || key.length <= keyPrefix.length) {
    throw new Error(
      `found a bootstrap key that does not start with "${keyPrefix}", expected ${keyPrefix} followed by the secret part`,
    );
  }
  await inTransaction(
    db,
    async (trx) => {
      const hash = hashOf(key);
      const granted = grantColumns(make.grant);
      const known = await trx.selectFrom('api_keys').select('project_id').where('hash', '=', hash).executeTakeFirst();
      if (known !== undefined) {
        if (Object.keys(granted).length > 0)
          await trx.updateTable('projects').set(granted).where('id', '=', known.project_id).execute();
        return;
      }
      const project = { id: make.newId(), name: `project of ${shownPrefixOf(key)}`, created_at: make.now };
      await trx
        .insertInto('projects')
        .values({ ...project, ...granted })
        .execute();
      await trx
        .insertInto('api_keys')
        .values({ hash, prefix: shownPrefixOf(key), project_id: project.id, created_at: make.now })
        .execute();
    },
    { of: [hashOf(key)] },
  );
}

/** Whether any key was ever issued, whatever has become of it. */
export async function hasKeys(db: Database): Promise<boolean> {
  return (await db.selectFrom('api_keys').select('hash').limit(1).executeTakeFirst()) !== undefined;
}
