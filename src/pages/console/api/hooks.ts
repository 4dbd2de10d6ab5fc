import { onChange, type Api, noteChange } from './create-api.ts';
import { useCallback, useEffect, useRef, useState, useContext } from 'preact/hooks';
import { createContext } from 'preact';
import type { ConsoleLogin } from '#contract/console-messages.ts';

/** Latest result of repeated reading. */
export interface Polled<Value> {
  /** undefined before the first response. */
  readonly value: Value | undefined;
  /** Error of the last reading, or null. */
  readonly fault: Error | null;
  /** Reads again at once. */
  readonly refresh: () => Promise<void>;
}

/**
 * Reads a value repeatedly, `everyMs` after each response; null reads once. A hidden page does not read and reads at
 * once when it becomes visible. A change of `key` starts anew.
 */
export function usePoll<Value>(key: string, read: () => Promise<Value>, everyMs: number | null): Polled<Value> {
  const [state, setState] = useState<{ key: string; value?: Value; fault: Error | null }>({ key, fault: null });
  const reader = useRef(read);
  reader.current = read;
  const current = useRef(key);
  current.current = key;

  const readings = useRef({ begun: 0, shown: 0 });

  const refresh = useCallback(async () => {
    const reading = (readings.current.begun += 1);
    try {
      const value = await reader.current();
      // A reading that began before the shown one is outdated.
      if (current.current !== key || reading < readings.current.shown) return;
      readings.current.shown = reading;
      setState({ key, value, fault: null });
    } catch (error) {
      const fault = error instanceof Error ? error : new Error(String(error));
      if (current.current === key) setState((before) => (before.key === key ? { ...before, fault } : { key, fault }));
    }
  }, [key]);

  useEffect(() => repeat(refresh, everyMs), [refresh, everyMs]);
  const isCurrent = state.key === key;
  return { value: isCurrent ? state.value : undefined, fault: isCurrent ? state.fault : null, refresh };
}

/**
 * Reads a list like `usePoll`, and also after each change made on the page. Details of one record use `usePoll`,
 * because they read their own changes and nothing of deleted records.
 */
export function useListPoll<Value>(key: string, read: () => Promise<Value>, everyMs: number): Polled<Value> {
  const polled = usePoll(key, read, everyMs);
  const { refresh } = polled;
  useEffect(() => onChange(() => void refresh()), [refresh]);
  return polled;
}

/** Calls `refresh` repeatedly; returns a function that stops it. */
function repeat(refresh: () => Promise<void>, everyMs: number | null): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isOver = false;
  let hasRead = false;
  let turns = 0;
  const turn = async (): Promise<void> => {
    clearTimeout(timer);
    if (document.hidden) return;
    hasRead = true;
    const mine = (turns += 1);
    await refresh();
    // A later turn sets the timer.
    if (!isOver && everyMs !== null && mine === turns) timer = setTimeout(() => void turn(), everyMs);
  };
  // A single reading may have been skipped while the page was hidden.
  const onSeen = (): void => {
    if (!document.hidden && (everyMs !== null || !hasRead)) void turn();
  };
  document.addEventListener('visibilitychange', onSeen);
  void turn();
  return () => {
    isOver = true;
    clearTimeout(timer);
    document.removeEventListener('visibilitychange', onSeen);
  };
}

/** Context of every part of the page during a login. */
export interface Session {
  readonly api: Api;
  readonly login: ConsoleLogin;
  /** Reads login and project again. */
  readonly refresh: () => Promise<void>;
  /** Continues with another login, such as that of another project; everything is read again. */
  readonly enter: (login: ConsoleLogin) => void;
  readonly logOut: () => Promise<void>;
  /** Shows and announces a message, also to screen readers. */
  readonly say: (text: string) => void;
}

/** Context with the session; null before the login. */
export const SessionContext = createContext<Session | null>(null);

/** Returns the session; throws before the login, which is a bug. */
export function useSession(): Session {
  const session = useContext(SessionContext);
  if (session === null) throw new Error('the page has no login');
  return session;
}

/** An action that the user starts and waits for. */
export interface Action {
  readonly isBusy: boolean;
  /** Error of the last action, or null. */
  readonly fault: Error | null;
  /** Runs the action unless one is already running. */
  readonly run: (work: () => Promise<void>) => Promise<void>;
}

/** Runs one action of the user at a time and keeps its error. */
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

/** Announces once that a task has ended, for users that do not see its badge. */
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
