import type { Clock } from '#lib/clock.ts';
import { getLimit, type RuleBook } from '#contract/rule-book.ts';
import { insertLink, takeLink } from '#store/queries/console-logins.ts';
import { newSecret, secretHash } from './login-secrets.ts';
import type { Executor } from '#store/executor.ts';

/** Manages one-time links for a login without an API key. */
export interface LoginLinks {
  /** Creates a login link for a project and returns the secret of the link. The database stores only its hash. */
  make(projectId: string): Promise<string>;
  /** Ends the validity of a link and returns its project; null for an unknown, used or expired link. */
  use(secret: string): Promise<string | null>;
}

/** Dependencies of {@link createLoginLinks}. */
export interface LinkDeps {
  readonly db: Executor;
  readonly clock: Pick<Clock, 'now'>;
  readonly rules: RuleBook;
}

/**
 * Creates access to the login links in a database, which a running service may use too. A link is valid for one login,
 * until the time of the limit `consoleLink` has passed.
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
