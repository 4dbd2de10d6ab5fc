/**
 * A value, or a promise of it. The request path uses this type so that a result that is already known costs no
 * microtask. `await` accepts a plain value too, but always waits for a microtask; {@link whenResolved} does not.
 */
export type MaybePromise<Value> = Value | Promise<Value>;

/**
 * Calls `next` with the value: synchronously for a plain value, after resolution for a promise. An error of `next` is
 * thrown in the first case and rejects in the second.
 */
export function whenResolved<Value, Result>(
  value: MaybePromise<Value>,
  next: (value: Value) => MaybePromise<Result>,
): MaybePromise<Result> {
  return value instanceof Promise ? value.then(next) : next(value);
}
