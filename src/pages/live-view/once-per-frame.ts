/** Calls that come faster than pictures are painted, as one. */
export interface PerFrame<T> {
  push(value: T): void;
  /** Passes on at once what waits. */
  flush(): void;
}

/** Passes on the merged values of each painted frame of this page, so that a mouse does not send more than can be seen. */
export function oncePerFrame<T>(merge: (before: T, after: T) => T, pass: (value: T) => void): PerFrame<T> {
  let waiting: { readonly value: T } | null = null;
  const flush = (): void => {
    if (waiting === null) return;
    const { value } = waiting;
    waiting = null;
    pass(value);
  };
  return {
    push(value) {
      if (waiting === null) requestAnimationFrame(flush);
      waiting = { value: waiting === null ? value : merge(waiting.value, value) };
    },
    flush,
  };
}
