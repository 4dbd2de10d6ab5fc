/** Merges calls that are faster than the frames of this page. */
export interface PerFrame<T> {
  push(value: T): void;
  /** Passes the waiting value on at once. */
  flush(): void;
}

/** Merges values and passes them on once per animation frame, so that a mouse does not send more than can be seen. */
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
