import { onChange, type Api, noteChange } from './create-api.ts';
import { useCallback, useEffect, useRef, useState, useContext } from 'preact/hooks';
import { createContext } from 'preact';
import type { ConsoleLogin } from '#contract/console-messages.ts';

/** What was read last. */
export interface Polled<Value> {
  /** undefined before the first answer. */
  readonly value: Value | undefined;
  /** Why the last reading failed, or null. */
  readonly fault: Error | null;
  /** Reads again at once. */
  readonly refresh: () => Promise<void>;
}

/**
 * Reads something now and again and again, `everyMs` after each answer; null reads once. A page that nobody sees does not read, and reads at once when it is
 * seen again. A change of `key` begins anew.
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
      // A reading that was begun before the one that is shown knows less.
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
 * The same for a list, which is also read after each change that is made on the page. A view of one thing is not: it reads by itself what was
 * changed, and nothing of what was deleted.
 */
export function useListPoll<Value>(key: string, read: () => Promise<Value>, everyMs: number): Polled<Value> {
  const polled = usePoll(key, read, everyMs);
  const { refresh } = polled;
  useEffect(() => onChange(() => void refresh()), [refresh]);
  return polled;
}

/** Answers with what ends it. */
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
    // A turn that was begun meanwhile sets the timer.
    if (!isOver && everyMs !== null && mine === turns) timer = setTimeout(() => void turn(), everyMs);
  };
  // What is read once may have been asked for when nobody saw the page.
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

/** Something that a person starts and waits for. */
export interface Action {
  readonly isBusy: boolean;
  /** Why the last one failed, or null. */
  readonly fault: Error | null;
  /** Does it, unless it is being done already. */
  readonly run: (work: () => Promise<void>) => Promise<void>;
}

/** One action of a person at a time, with what became of it. */
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

/** Who does not see the badge change is told once that a task has ended. */
export function useSpokenEnd(status: string | undefined, isWorking: (status: string) => boolean): void {
  const { say } = useSession();
  const before = useRef(status);
  useEffect(() => {
    const worked = before.current !== undefined && isWorking(before.current);
    if (worked && status !== undefined && !isWorking(status)) {
      say(`The task has ended: ${status.replaceAll('_', ' ')}`);
      // The list beside it shows the end at the same time.
      noteChange();
    }
    before.current = status;
  }, [status, isWorking, say]);
}
