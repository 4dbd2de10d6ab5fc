import { createIssuedKeys } from '#backend/accounts/issued-keys.ts';
import { createProjects } from '#backend/accounts/projects.ts';
import { countActive } from '#backend/storage/active.ts';
import type { Database } from '#backend/storage/database.ts';
import { inTransaction } from '#backend/storage/in-transaction.ts';
import { liveStates } from '#domain/lifecycle.ts';
import { defaultRules } from '#domain/rule-book.ts';
import { keyTable } from './key-table.ts';
import { projectTable } from './project-table.ts';

/** A project with its living sandboxes and its keys at `nowMs`, as text. What it has spent is for its own keys to ask (GET /billing/account). */
export async function describeProject(db: Database, projectId: string, nowMs: number): Promise<string> {
  const project = await createProjects(db).get(projectId);
  const living = await inTransaction(db, (trx) =>
    countActive(trx, projectId, liveStates(defaultRules.lifecycle, 'session')),
  );
  const keys = await createIssuedKeys(db).list(projectId);
  return [projectTable([project]), `living now: ${living}`, keyTable(keys, nowMs)].join('\n\n');
}
