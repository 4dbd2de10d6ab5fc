/** Thrown by a check or scenario that cannot be judged here: the row reads "not testable: <reason>". */
export class NotTestable extends Error {
  override readonly name = 'NotTestable';
}

/** Thrown when something was left out on purpose (spend, limits, an early end): the row reads "not run: <reason>". */
export class NotRun extends Error {
  override readonly name: string = 'NotRun';
}

/** Thrown when the target limits the rate of requests or the number of sessions: nothing was judged. */
export class TooManyRequests extends NotRun {}

/** A request of the suite's own broke the contract without being meant to: a fault of the suite. */
export class OwnRequestError extends Error {
  override readonly name = 'OwnRequestError';
}
