/**
 * Thrown by a check or scenario that cannot be judged on this target. The row of the report reads "not testable:
 * <reason>".
 */
export class NotTestable extends Error {
  override readonly name: string = 'NotTestable';
}

/** Thrown if the responses of the target prevented the judgement of a whole operation. The run is then incomplete. */
export class Blocked extends NotTestable {}

/**
 * Thrown for a case that is omitted on purpose (spend, limits, an early end). The row of the report reads "not run:
 * <reason>".
 */
export class NotRun extends Error {
  override readonly name: string = 'NotRun';
}

/** Thrown if the target limits the rate of requests or the number of sessions: no verdict is possible. */
export class TooManyRequests extends NotRun {}

/**
 * Returns the results of promises in their order. Throws the first error only after all promises have settled: nothing
 * may be created after a scenario has ended.
 */
export async function settleAll<const Given extends readonly Promise<unknown>[]>(
  promises: Given,
): Promise<{ -readonly [Key in keyof Given]: Awaited<Given[Key]> }> {
  await Promise.allSettled(promises);
  return Promise.all(promises);
}

/** Returns the result of `read`. Returns undefined if it throws NotTestable, for callers that can judge without it. */
export async function ifTestable<T>(read: () => Promise<T>): Promise<T | undefined> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof NotTestable) return undefined;
    throw error;
  }
}

/** Thrown if a request of the suite violates the contract unintentionally: a fault of the suite. */
export class OwnRequestError extends Error {
  override readonly name = 'OwnRequestError';
}
