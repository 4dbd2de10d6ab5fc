/** A refusal that says to come again later (spec/rules/errors.yaml, status 503 or 507). */
export type UnavailableCode = 'database_away' | 'database_locked' | 'owner_silent' | 'storage_full';

/**
 * Something that a request needs cannot be used now, which is no fault of the request and none of the code. The answer names the seconds
 * after which the client tries again.
 */
export class Unavailable extends Error {
  readonly code: UnavailableCode;

  constructor(code: UnavailableCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
