/** A start was not admitted: too many others wait, or its turn did not come in time. Nothing was started. */
export class HostBusy extends Error {
  override readonly name = 'HostBusy';
  /** Starts that wait for their turn. */
  readonly waiting: number;
  /** How long those are expected to take, in milliseconds, at least 1,000. */
  readonly retryAfterMs: number;

  constructor(waiting: number, retryAfterMs: number) {
    super(`${waiting} browsers wait to be started: try again in ${Math.ceil(retryAfterMs / 1000)} s.`);
    this.waiting = waiting;
    this.retryAfterMs = retryAfterMs;
  }
}
