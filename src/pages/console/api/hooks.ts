import { type Api, noteChange } from './create-api.ts';
import { useEffect, useRef, useState, useContext } from 'preact/hooks';
import { createContext } from 'preact';
import type { ConsoleLogin } from '#contract/console-messages.ts';

/** Data and functions that every part of the page can use while the user is logged in. */
export interface Session {
  readonly api: Api;
  readonly login: ConsoleLogin;
  /** Reads the login and its project again. */
  readonly refresh: () => Promise<void>;
  /** Replaces the login, for example by a login for another project; the page then reads all data again. */
  readonly enter: (login: ConsoleLogin) => void;
  readonly logOut: () => Promise<void>;
  /** Shows and announces a message, also to screen readers. */
  readonly say: (text: string) => void;
}

/** Context with the {@link Session} of the page; null before the login. */
export const SessionContext = createContext<Session | null>(null);

/** Returns the session of the page. Throws before the login; such a call is a bug. */
export function useSession(): Session {
  const session = useContext(SessionContext);
  if (session === null) throw new Error('the page has no login');
  return session;
}

/** An action that the user starts and waits for. */
export interface Action {
  readonly isBusy: boolean;
  /** Error of the latest run of the action; null without one. */
  readonly fault: Error | null;
  /** Runs the action unless one is already running. */
  readonly run: (work: () => Promise<void>) => Promise<void>;
}

/** Returns an action that runs one piece of work at a time, and keeps the error of the latest run. */
export function useAction(): Action {
  const [state, setState] = useState<{ isBusy: boolean; fault: Error | null }>({ isBusy: false, fault: null });
  return {
    ...state,
    async run(work) {
      if (state.isBusy) return;
      setState({ isBusy: true, fault: null });
      try {
        await work();
        setState({ isBusy: false, fault: null });
      } catch (error) {
        setState({ isBusy: false, fault: error instanceof Error ? error : new Error(String(error)) });
      }
    },
  };
}

/** Shows and announces the end of a task once, and refreshes the lists of the page. */
export function useSpokenEnd(status: string | undefined, isWorking: (status: string) => boolean): void {
  const { say } = useSession();
  const before = useRef(status);
  useEffect(() => {
    const worked = before.current !== undefined && isWorking(before.current);
    if (worked && status !== undefined && !isWorking(status)) {
      say(`The task has ended: ${status.replaceAll('_', ' ')}`);
      // The list shows the end at the same time.
      noteChange();
    }
    before.current = status;
  }, [status, isWorking, say]);
}
