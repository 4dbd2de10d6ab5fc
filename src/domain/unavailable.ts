/** A refusal that says to come again later (spec/rules/errors.yaml, status 503). */
export type UnavailableCode = 'database_away' | 'owner_silent';

/**
 * Something that a request needs cannot be reached now, which is no fault of the request and none of the code: it is answered with 503
 * and the seconds after which to come again.
 */
export class Unavailable extends Error {
  readonly code: UnavailableCode;

  constructor(code: UnavailableCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
