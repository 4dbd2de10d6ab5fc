/** Error code of a temporary failure (spec/rules/errors.yaml, status 503 or 507). */
export type UnavailableCode = 'database_away' | 'database_locked' | 'owner_silent' | 'storage_full';

/**
 * Thrown when a resource that a request needs is temporarily unavailable. The response names the seconds after which
 * the client retries.
 */
export class Unavailable extends Error {
  readonly code: UnavailableCode;

  constructor(code: UnavailableCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
