import { onChange } from './changes.ts';
import { useCallback, useEffect, useRef, useState } from 'preact/hooks';

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
