import type { Clock } from '#lib/clock.ts';
import { getLimit, type RuleBook } from '#contract/rule-book.ts';
import { insertLink, takeLink } from '#store/queries/console-logins.ts';
import { newSecret, secretHash } from './login-secrets.ts';
import type { Executor } from '#store/executor.ts';

/** Manages one-time links for a login without an API key. */
export interface LoginLinks {
  /** Creates a link to a project and returns its secret. The database stores the hash of the secret. */
  make(projectId: string): Promise<string>;
  /** Uses up a link and returns its project; null for an unknown, used or expired link. */
  use(secret: string): Promise<string | null>;
}

/** Dependencies of {@link createLoginLinks}. */
export interface LinkDeps {
  readonly db: Executor;
  readonly clock: Pick<Clock, 'now'>;
  readonly rules: RuleBook;
}

/**
 * Creates access to the login links of a database, which a service may use at the same time. A link is valid for one
 * login, within the time of the limit `consoleLink`.
 */
export function createLoginLinks({ db, clock, rules }: LinkDeps): LoginLinks {
  return {
    async make(projectId) {
      const secret = newSecret();
      const now = clock.now();
      await insertLink(db, {
        hash: secretHash(secret),
        projectId,
        createdAtMs: now,
        expiresAtMs: now + getLimit(rules, 'consoleLink'),
      });
      return secret;
    },
    use: (secret) => takeLink(db, secretHash(secret), clock.now()),
  };
}
