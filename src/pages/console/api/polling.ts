import { onChange } from './create-api.ts';
import { useCallback, useEffect, useRef, useState } from 'preact/hooks';

/** Latest result of repeated reading. */
export interface Polled<Value> {
  /** Latest value; undefined before the first response. */
  readonly value: Value | undefined;
  /** Error of the latest reading; null without one. */
  readonly fault: Error | null;
  /** Reads the value again at once. */
  readonly refresh: () => Promise<void>;
}

/**
 * Reads a value at once, and again `everyMs` after each response. If `everyMs` is null, reads the value only once. A
 * hidden page reads nothing until it becomes visible. A change of `key` discards the value and reads at once.
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
    // A reading that began before the shown one is outdated.
    const isCurrent = (): boolean => current.current === key && reading > readings.current.shown;
    try {
      const value = await reader.current();
      if (!isCurrent()) return;
      readings.current.shown = reading;
      setState({ key, value, fault: null });
    } catch (error) {
      const fault = error instanceof Error ? error : new Error(String(error));
      if (isCurrent()) setState((before) => (before.key === key ? { ...before, fault } : { key, fault }));
    }
  }, [key]);

  useEffect(() => repeat(refresh, everyMs), [refresh, everyMs]);
  const isCurrent = state.key === key;
  return { value: isCurrent ? state.value : undefined, fault: isCurrent ? state.fault : null, refresh };
}

/**
 * Reads a list like `usePoll`, and also after each change made on the page. A component that shows one record uses
 * `usePoll` instead: it refreshes after its own changes, and must not read a deleted record.
 */
export function useListPoll<Value>(key: string, read: () => Promise<Value>, everyMs: number): Polled<Value> {
  const polled = usePoll(key, read, everyMs);
  const { refresh } = polled;
  useEffect(() => onChange(() => void refresh()), [refresh]);
  return polled;
}

/**
 * Calls `refresh` at once, and again `everyMs` after each call has ended. If `everyMs` is null, calls `refresh` only
 * once. While the page is hidden, starts no call. Returns a function that stops the calls.
 */
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
