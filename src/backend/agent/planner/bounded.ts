import { runInNewContext } from 'node:vm';

const TIMEOUT_MS = 1_000;

/** What {@link bounded} answers when the time is up. */
export const timedOut = Symbol('timedOut');

/**
 * Runs some work that blocks, for at most a second: V8 ends it, even inside of a regular expression. A schema from outside can
 * hold a pattern that takes for ever on the right text. What the work throws is thrown.
 */
export function bounded<Result>(work: () => Result): Result | typeof timedOut {
  const results: Result[] = [];
  try {
    runInNewContext('run()', { run: () => void results.push(work()) }, { timeout: TIMEOUT_MS });
  } catch (error) {
    if (isTimeout(error)) return timedOut;
    throw error;
  }
  const [result] = results;
  if (result === undefined) throw new TypeError('The work ended without a result.');
  return result;
}

/** Whether an error is the end of the time, which a `catch` inside the work has to hand on. */
export function isTimeout(error: unknown): boolean {
  return (
    typeof error === 'object' && error !== null && 'code' in error && error.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT'
  );
}
