/**
 * A value, or a promise of a value. The request path uses this type so that a result which is already known costs no
 * microtask. `await` accepts a plain value too, but always waits for a microtask; {@link whenResolved} does not.
 */
export type MaybePromise<Value> = Value | Promise<Value>;

/**
 * Calls `next` with the value: at once for a plain value, or when the promise has resolved. An error of `next` is
 * thrown in the first case, and rejects the returned promise in the second.
 */
export function whenResolved<Value, Result>(
  value: MaybePromise<Value>,
  next: (value: Value) => MaybePromise<Result>,
): MaybePromise<Result> {
  return value instanceof Promise ? value.then(next) : next(value);
}
