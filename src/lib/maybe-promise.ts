/** What is at hand, or will be: whoever has it makes nobody wait for the next turn. */
export type Soon<Value> = Value | Promise<Value>;

/** Goes on with a value, at once where it is at hand. What fails rejects or throws, as the value was had. */
export function whenThere<Value, Result>(value: Soon<Value>, next: (value: Value) => Soon<Result>): Soon<Result> {
  return value instanceof Promise ? value.then(next) : next(value);
}
