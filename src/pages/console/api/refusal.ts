/** A request that was not answered as it was hoped, in words that can be shown. */
export class Refusal extends Error {
  /** Of the answer; 0 where none came. */
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}
