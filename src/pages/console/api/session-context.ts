import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { ConsoleLogin } from '../../../contract/console-messages.ts';
import type { Api } from './create-api.ts';

/** What every part of the page may use while somebody is logged in. */
export interface Session {
  readonly api: Api;
  readonly login: ConsoleLogin;
  /** Asks anew who is logged in and what the project has. */
  readonly refresh: () => Promise<void>;
  /** Goes on with another login, such as that to another project: everything is read anew. */
  readonly enter: (login: ConsoleLogin) => void;
  readonly logOut: () => Promise<void>;
  /** Says something to everybody, also to those who listen. */
  readonly say: (text: string) => void;
}

/** Carries the session; null before the login. */
export const SessionContext = createContext<Session | null>(null);

/** Returns the session; throws before the login, which is a bug. */
export function useSession(): Session {
  const session = useContext(SessionContext);
  if (session === null) throw new Error('the page has no login');
  return session;
}
