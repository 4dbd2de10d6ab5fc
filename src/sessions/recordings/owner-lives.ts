import { endStates } from '#contract/lifecycle.ts';
import type { RuleBook } from '#contract/rule-book.ts';
import type { Database } from '#store/database.ts';

/** Whether a further browser of a session or a standalone browser may come. */
export async function ownerLives(db: Database, rules: RuleBook, ownerId: string): Promise<boolean> {
  const ended = [...endStates(rules.lifecycle, 'session')];
  const sessions = db.selectFrom('sessions').select('id').where('id', '=', ownerId).where('deleted_at', 'is', null);
  const session = await sessions.where('status', 'not in', ended).executeTakeFirst();
  const browsers = db.selectFrom('browsers').select('id').where('id', '=', ownerId);
  return session !== undefined || (await browsers.where('status', '=', 'active').executeTakeFirst()) !== undefined;
}
