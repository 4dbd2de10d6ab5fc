import type { Database } from '../database.ts';
import type { Executor } from '../executor.ts';
import { inTransaction } from '../transaction.ts';

/** Adds an integration to the list of integrations that a session has used, if it is missing there. */
export async function addUsedIntegration(db: Database, sessionId: string, name: string): Promise<void> {
  await inTransaction(
    db,
    async (trx) => {
      const query = trx.selectFrom('sessions').select('integrationsUsed').where('id', '=', sessionId);
      const row = await query.executeTakeFirst();
      const used = readUsed(row?.integrationsUsed ?? null);
      if (row === undefined || used.includes(name)) return;
      const names = JSON.stringify([...used, name]);
      await trx.updateTable('sessions').set({ integrationsUsed: names }).where('id', '=', sessionId).execute();
    },
    { of: [sessionId] },
  );
}

/** Parses the names in the column `integrations_used`, in the order of their first use; empty for null. */
export function readUsed(column: string | null): string[] {
  // Only `addUsedIntegration` writes this column, from a list of texts.
  const names: string[] = column === null ? [] : JSON.parse(column);
  return names;
}

/** Project and integration to which secrets belong. */
export interface SecretsPlace {
  readonly projectId: string;
  readonly integration: string;
}

/** An encrypted secret of a project. */
export interface SealedSecret {
  readonly name: string;
  readonly ciphertext: string;
}

/** Stores a secret, in place of an earlier secret with the same name. */
export async function setIntegrationSecret(
  db: Executor,
  { projectId, integration }: SecretsPlace,
  { name, ciphertext, nowMs }: SealedSecret & { readonly nowMs: number },
): Promise<void> {
  const sealed = { ciphertext, createdAt: nowMs };
  await db
    .insertInto('integration_secrets')
    .values({ projectId, integration, name, ...sealed })
    .onConflict((conflict) => conflict.columns(['projectId', 'integration', 'name']).doUpdateSet(sealed))
    .execute();
}

/** Returns the secrets of a project for an integration, sorted by name. */
export function listIntegrationSecrets(
  db: Executor,
  { projectId, integration }: SecretsPlace,
): Promise<SealedSecret[]> {
  return db
    .selectFrom('integration_secrets')
    .select(['name', 'ciphertext'])
    .where('projectId', '=', projectId)
    .where('integration', '=', integration)
    .orderBy('name')
    .execute();
}

/** Deletes a secret; false when the project has no secret with this name for the integration. */
export async function deleteIntegrationSecret(
  db: Executor,
  { projectId, integration }: SecretsPlace,
  name: string,
): Promise<boolean> {
  const removed = await db
    .deleteFrom('integration_secrets')
    .where('projectId', '=', projectId)
    .where('integration', '=', integration)
    .where('name', '=', name)
    .executeTakeFirst();
  return removed.numDeletedRows > 0n;
}
