/** Why a run could not begin or go on; the command line maps each to an exit code. */
export type SuiteErrorCode = 'usage' | 'unreachable' | 'unauthenticated';

/** What a suite error states: what was found, what was expected, what to do next. */
export interface SuiteErrorText {
  found: string;
  expected: string;
  next: string;
}

/** An expected end of a run that no requirement can be blamed for. */
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
