import { keyIdFromHash } from '#accounts/api-keys.ts';
import type { ProjectLimits } from '#accounts/keyring.ts';
import { getLimit } from '#contract/rule-book.ts';
import { deleteLogin, findLogin, insertLogin, moveLogin } from '#store/queries/console-logins.ts';
import { newSecret, secretHash } from './login-secrets.ts';
import type { LinkDeps } from './login-links.ts';

/** A login of the console. */
export interface ConsoleSession {
  readonly projectId: string;
  /** Public id of the login, derived from the hash of its cookie. For a request with an API key, the id of the key. */
  readonly id: string;
  /** Public id of the API key of the login; null for a login by link. */
  readonly keyId: string | null;
  /** Whether a login link created the login. */
  readonly isOperator: boolean;
  /** Whether the login may create, confirm and end schedules. */
  readonly maySchedule: boolean;
  /** Monthly spend limit of the API key in micro-dollars; null for a key without a limit, and for a login by link. */
  readonly monthlyMicros: number | null;
  readonly zeroDataRetention: boolean;
  /** Limits of the project. */
  readonly limits: ProjectLimits;
  readonly expiresAtMs: number;
}

/**
 * The two random secrets of a login, neither of which can be derived from the other. The database stores only their
 * hashes.
 */
export interface LoginSecrets {
  /** Value of the cookie, which browsers send to every port of the host. */
  readonly cookie: string;
  /** CSRF token, sent in a header. Only pages of the console's own origin can read it. */
  readonly csrf: string;
}

/** The logins of a service. */
export interface ConsoleSessions {
  /** Creates a login. `keyHash` is the hash of the API key that the user entered, or null for a login by link. */
  open(projectId: string, keyHash: string | null): Promise<LoginSecrets>;
  /**
   * Returns the login with these two secrets; null for an unknown, expired or ended login, and when its API key is no
   * longer accepted.
   */
  find(secrets: LoginSecrets): Promise<ConsoleSession | null>;
  /** Moves the login of an operator to another project. Has no effect on a login by key. */
  switchProject(cookie: string, projectId: string): Promise<void>;
  /** Ends a login. */
  close(cookie: string): Promise<void>;
}

const idCharacters = 16;

/**
 * Creates access to the logins in a database. The logins survive a restart, and are valid in every process of the
 * service.
 */
export function createConsoleSessions({ db, clock, rules }: LinkDeps): ConsoleSessions {
  return {
    async open(projectId, keyHash) {
      const secrets = { cookie: newSecret(), csrf: newSecret() };
      const now = clock.now();
      await insertLogin(db, {
        cookieHash: secretHash(secrets.cookie),
        csrfHash: secretHash(secrets.csrf),
        projectId,
        keyHash,
        isOperator: keyHash === null,
        createdAtMs: now,
        expiresAtMs: now + getLimit(rules, 'consoleSession'),
      });
      return secrets;
    },
    async find({ cookie, csrf }) {
      const cookieHash = secretHash(cookie);
      const found = await findLogin(db, { cookieHash, csrfHash: secretHash(csrf) }, clock.now());
      if (found === null) return null;
      const { keyHash, ...login } = found;
      const keyId = keyHash === null ? null : keyIdFromHash(keyHash);
      return { ...login, keyId, id: cookieHash.slice(0, idCharacters) };
    },
    switchProject: (cookie, projectId) => moveLogin(db, secretHash(cookie), projectId),
    close: (cookie) => deleteLogin(db, secretHash(cookie)),
  };
}
