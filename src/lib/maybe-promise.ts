/** A value or a promise of it. Synchronous results are consumed without waiting for a microtask. */
export type MaybePromise<Value> = Value | Promise<Value>;

/**
 * Calls `next` with the value, synchronously unless it is a promise. Errors throw or reject in the same way as the
 * value was delivered.
 */
export function whenResolved<Value, Result>(
  value: MaybePromise<Value>,
  next: (value: Value) => MaybePromise<Result>,
): MaybePromise<Result> {
  return value instanceof Promise ? value.then(next) : next(value);
}
