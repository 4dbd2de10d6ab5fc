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

  const refresh = useCallback(async () => {
    try {
      const value = await reader.current();
      if (current.current === key) setState({ key, value, fault: null });
    } catch (error) {
      const fault = error instanceof Error ? error : new Error(String(error));
      if (current.current === key) setState((before) => (before.key === key ? { ...before, fault } : { key, fault }));
    }
  }, [key]);

  useEffect(() => repeat(refresh, everyMs), [refresh, everyMs]);
  const isCurrent = state.key === key;
  return { value: isCurrent ? state.value : undefined, fault: isCurrent ? state.fault : null, refresh };
}

/** Answers with what ends it. */
function repeat(refresh: () => Promise<void>, everyMs: number | null): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isOver = false;
  let hasRead = false;
  const turn = async (): Promise<void> => {
    clearTimeout(timer);
    if (document.hidden) return;
    hasRead = true;
    await refresh();
    if (!isOver && everyMs !== null) timer = setTimeout(() => void turn(), everyMs);
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
