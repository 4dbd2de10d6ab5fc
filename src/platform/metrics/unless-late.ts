/** What a piece of work answers, or null when that takes longer than `ms` milliseconds: the work itself goes on. */
export async function unlessLate<Result>(ms: number, work: Promise<Result>): Promise<Result | null> {
  const { promise: late, resolve } = Promise.withResolvers<null>();
  const timer = setTimeout(() => resolve(null), ms);
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
