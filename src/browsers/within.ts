/**
 * Gives a promise a time limit: rejects with an Error carrying `message` after `timeoutMs`. The work itself goes on;
 * what it settles to later is ignored.
 */
export async function within<T>(timeoutMs: number, work: Promise<T>, message: string): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error(message)), timeoutMs);
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
