import { type IssuedKey, createIssuedKeys } from '#accounts/api-keys.ts';
import { type Project, createProjects } from '#accounts/projects.ts';
import { storedSpend } from '#sessions/meters.ts';
import { countActive } from '#store/queries/counts.ts';
import type { Database } from '#store/database.ts';
import { inTransaction } from '#store/transaction.ts';
import { liveStates } from '#contract/lifecycle.ts';
import { defaultRules } from '#contract/rule-book.ts';

/** A project with all that its operator may want to know. */
export interface DescribedProject extends Project {
  /** As far as it is booked: living browsers book their traffic with each step. */
  readonly spentMicros: number;
  /** Sandboxes that live now. */
  readonly living: number;
  readonly keys: readonly IssuedKey[];
}

/** Reads a project, its living sandboxes, its keys and what it has spent up to `nowMs`. */
export async function describeProject(db: Database, projectId: string, nowMs: number): Promise<DescribedProject> {
  const project = await createProjects(db).get(projectId);
  const states = liveStates(defaultRules.lifecycle, 'session');
  const living = await inTransaction(db, (trx) => countActive(trx, projectId, states), { of: [projectId] });
  const spentMicros = await storedSpend({ db, rules: defaultRules, clock: { now: () => nowMs } }, projectId);
  return { ...project, spentMicros, living, keys: await createIssuedKeys(db).list(projectId) };
}
