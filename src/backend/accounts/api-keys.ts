import { createHash, randomBytes } from 'node:crypto';
import { service } from '#generated/rules.ts';
import type { Insertable } from 'kysely';
import { flag } from '../storage/flag.ts';
import type { ProjectTable } from '../storage/schema.ts';
import type { Database } from '../storage/database.ts';

/** Every key starts with this (contract section 5; the value is the companion's). */
const keyPrefix = service.keyPrefix.value;

const secretBytes = 32;
const shownCharacters = 8;
const keyIdCharacters = 16;

/** Who a key speaks for. */
export interface Principal {
  readonly projectId: string;
  /** Names the key without revealing it: the beginning of its hash. */
  readonly keyId: string;
  /** Whether the project has zero data retention. */
  readonly zeroDataRetention: boolean;
}

/** What the projects of bootstrap keys are given; an absent member leaves a project that exists as it is. */
export interface Grant {
  readonly zeroDataRetention?: boolean;
  /** What the project may spend in micro-dollars; null for no bound. */
  readonly creditMicros?: number | null;
}

/** Makes a new key: prefix and 32 random bytes. It is shown once; only its hash is kept. */
export function newApiKey(): string {
  return `${keyPrefix}${randomBytes(secretBytes).toString('base64url')}`;
}

/** The project that a key belongs to, or null for a key that nobody issued. */
export async function principalOf(db: Database, key: string): Promise<Principal | null> {
  const hash = hashKey(key);
  const row = await db
    .selectFrom('api_keys')
    .innerJoin('projects', 'projects.id', 'api_keys.project_id')
    .select(['project_id', 'zero_data_retention'])
    .where('hash', '=', hash)
    .executeTakeFirst();
  if (row === undefined) return null;
  const keyId = hash.slice(0, keyIdCharacters);
  return { projectId: row.project_id, keyId, zeroDataRetention: row.zero_data_retention === 1 };
}

/** Makes a project of its own for a key, unless the key is known already, and gives it what is granted. Times are milliseconds since the epoch. */
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
  await db.transaction().execute(async (trx) => {
    const hash = hashKey(key);
    const granted = columnsOf(make.grant);
    const known = await trx.selectFrom('api_keys').select('project_id').where('hash', '=', hash).executeTakeFirst();
    if (known !== undefined) {
      if (Object.keys(granted).length > 0)
        await trx.updateTable('projects').set(granted).where('id', '=', known.project_id).execute();
      return;
    }
    const project = { id: make.newId(), name: `project of ${shown(key)}`, created_at: make.now };
    await trx
      .insertInto('projects')
      .values({ ...project, ...granted })
      .execute();
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

function columnsOf({
  zeroDataRetention,
  creditMicros,
}: Grant): Partial<Pick<Insertable<ProjectTable>, 'zero_data_retention' | 'credit_micros'>> {
  return {
    ...(zeroDataRetention === undefined ? {} : { zero_data_retention: flag(zeroDataRetention) }),
    ...(creditMicros === undefined ? {} : { credit_micros: creditMicros }),
  };
}

function hashKey(key: string): string {
  return createHash('sha256').update(key).digest('hex');
}

function shown(key: string): string {
  return key.slice(0, shownCharacters);
}
