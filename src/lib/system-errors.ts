/** Returns whether a value is an error of the operating system or of Node with one of these codes, such as `EEXIST`. */
export function hasCode(error: unknown, ...codes: readonly string[]): boolean {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' && codes.includes(error.code);
}

/**
 * Returns whether an operation failed because a file or process does not exist. Linux reports a file of `/proc` whose
 * process has just ended as ESRCH.
 */
export function isMissing(error: unknown): boolean {
  return hasCode(error, 'ENOENT', 'ESRCH');
}

/**
 * Returns an error handler for `Promise.catch`. It returns `instead` if a file or process does not exist, and rethrows
 * every other error.
 */
export function unlessMissing<Value>(instead: Value): (error: unknown) => Value {
  return (error) => {
    if (isMissing(error)) return instead;
    throw error;
  };
}
