import type { ProjectLimits } from '#accounts/keyring.ts';
import { getLimit } from '#contract/rule-book.ts';
import type { Flag } from '#store/schema.ts';
import { newSecret, secretHash } from './login-secrets.ts';
import type { LinkParts } from './login-links.ts';

/** A login of the console. */
export interface ConsoleSession {
  readonly projectId: string;
  /** Public id of the login, derived from a hash. */
  readonly id: string;
  /** Whether a login link created the login. */
  readonly isOperator: boolean;
  readonly zeroDataRetention: boolean;
  /** Limits of the project. */
  readonly limits: ProjectLimits;
  readonly expiresAtMs: number;
}

/** The two random secrets of a login; the database stores their hashes. Neither can be derived from the other. */
export interface LoginSecrets {
  /** Value of the cookie, which browsers send to every port of the host. */
  readonly cookie: string;
  /** CSRF token, sent in a header. Only pages of the console's own origin know it. */
  readonly csrf: string;
}

/** The logins of a service. */
export interface ConsoleSessions {
  /** Creates a login. `keyHash` is the hash of the API key that the user entered, or null for a login by link. */
  open(projectId: string, keyHash: string | null): Promise<LoginSecrets>;
  /**
   * Returns the login of both secrets; null when it has expired or ended, or when its API key is no longer accepted.
   */
  find(secrets: LoginSecrets): Promise<ConsoleSession | null>;
  /** Moves the login of an operator to another project. Has no effect on a login by key. */
  switchProject(cookie: string, projectId: string): Promise<void>;
  /** Ends a login. */
  close(cookie: string): Promise<void>;
}

const idCharacters = 16;

/** Creates the logins in a database. They survive a restart, and are valid in every process of the service. */
export function createConsoleSessions({ db, clock, rules }: LinkParts): ConsoleSessions {
  return {
    async open(projectId, keyHash) {
      const secrets = { cookie: newSecret(), csrf: newSecret() };
      const now = clock.now();
      const isOperator: Flag = keyHash === null ? 1 : 0;
      await db.deleteFrom('console_sessions').where('expires_at', '<=', now).execute();
      await db
        .insertInto('console_sessions')
        .values({
          hash: secretHash(secrets.cookie),
          csrf_hash: secretHash(secrets.csrf),
          project_id: projectId,
          key_hash: keyHash,
          is_operator: isOperator,
          created_at: now,
          expires_at: now + getLimit(rules, 'consoleSession'),
        })
        .execute();
      return secrets;
    },
    async find({ cookie, csrf }) {
      const hash = secretHash(cookie);
      const now = clock.now();
      const row = await db
        .selectFrom('console_sessions as session')
        .innerJoin('projects', 'projects.id', 'session.project_id')
        .leftJoin('api_keys', 'api_keys.hash', 'session.key_hash')
        .select(['session.project_id', 'is_operator', 'session.expires_at', 'zero_data_retention'])
        .select(['sessions_max', 'requests_per_second'])
        .where('session.hash', '=', hash)
        .where('session.csrf_hash', '=', secretHash(csrf))
        .where('session.expires_at', '>', now)
        .where('revoked_at', 'is', null)
        .where((eb) => eb.or([eb('api_keys.expires_at', 'is', null), eb('api_keys.expires_at', '>', now)]))
        .executeTakeFirst();
      if (row === undefined) return null;
      return {
        projectId: row.project_id,
        id: hash.slice(0, idCharacters),
        isOperator: row.is_operator === 1,
        zeroDataRetention: row.zero_data_retention === 1,
        limits: { sessionsMax: row.sessions_max, requestsPerSecond: row.requests_per_second },
        expiresAtMs: row.expires_at,
      };
    },
    async switchProject(cookie, projectId) {
      await db
        .updateTable('console_sessions')
        .set({ project_id: projectId })
        .where('hash', '=', secretHash(cookie))
        .where('is_operator', '=', 1)
        .execute();
    },
    async close(cookie) {
      await db.deleteFrom('console_sessions').where('hash', '=', secretHash(cookie)).execute();
    },
  };
}
