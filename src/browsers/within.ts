/**
 * Limits a promise in time: rejects with `message` after `timeoutMs`. The work continues, and its later result is
 * ignored.
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
