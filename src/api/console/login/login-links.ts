import type { Clock } from '#lib/clock.ts';
import { getLimit, type RuleBook } from '#contract/rule-book.ts';
import type { Database } from '#store/database.ts';
import { newSecret, secretHash } from './login-secrets.ts';

/** One-time links, by which the operator logs in without a key. */
export interface LoginLinks {
  /** Makes the secret of a link to a project; its hash is kept. */
  make(projectId: string): Promise<string>;
  /** The project of a link, which then opens nothing any more; null for one that was used, has expired or is none. */
  use(secret: string): Promise<string | null>;
}

/** What links are made of. */
export interface LinkParts {
  readonly db: Database;
  readonly clock: Pick<Clock, 'now'>;
  readonly rules: RuleBook;
}

/** The links of a database, which a service may be using: each holds for ten minutes and for one login. */
export function createLoginLinks({ db, clock, rules }: LinkParts): LoginLinks {
  return {
    async make(projectId) {
      const secret = newSecret();
      const now = clock.now();
      const expires = now + getLimit(rules, 'consoleLink');
      await db.deleteFrom('console_links').where('expires_at', '<=', now).execute();
      await db
        .insertInto('console_links')
        .values({ hash: secretHash(secret), project_id: projectId, created_at: now, expires_at: expires })
        .execute();
      return secret;
    },
    async use(secret) {
      // One statement: of two who use it at the same time one gets the row.
      const row = await db
        .deleteFrom('console_links')
        .where('hash', '=', secretHash(secret))
        .where('expires_at', '>', clock.now())
        .returning('project_id')
        .executeTakeFirst();
      return row?.project_id ?? null;
    },
  };
}
