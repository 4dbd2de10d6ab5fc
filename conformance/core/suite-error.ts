/** Reason why a run could not begin or continue; the command line maps each reason to an exit code. */
export type SuiteErrorCode = 'usage' | 'unreachable' | 'unauthenticated';

/** Text of a suite error: the found value, the expected value, the next step. */
export interface SuiteErrorText {
  found: string;
  expected: string;
  next: string;
}

/** An expected error of a run that is not a violation of a requirement. */
export class SuiteError extends Error {
  readonly code: SuiteErrorCode;
  readonly text: SuiteErrorText;

  constructor(code: SuiteErrorCode, text: SuiteErrorText) {
    super(`Found ${text.found}. Expected ${text.expected}. Next: ${text.next}.`);
    this.name = 'SuiteError';
    this.code = code;
    this.text = text;
  }
}
