import { FileError } from '../files.ts';
import { MailError } from '../mailbox.ts';
import { TabError } from '#browsers/tab/tab.ts';
import type { Redactor } from './redactor.ts';

/** Does something whose errors hold no value. */
export function safelyBy(redactor: Redactor): <Found>(act: () => Promise<Found>) => Promise<Found> {
  return async (act) => {
    try {
      return await act();
    } catch (error) {
      throw safeError(error, redactor);
    }
  };
}

/** The same error without values, and without a cause: the words of whatever failed may hold what was being typed. */
export function safeError(error: unknown, redactor: Redactor): Error {
  const message = redactor.text(error instanceof Error ? error.message : String(error));
  if (error instanceof TabError) return new TabError(message);
  if (error instanceof FileError) return new FileError(message);
  if (error instanceof MailError) return new MailError(message);
  const safe = new Error(message);
  if (error instanceof Error) {
    safe.name = error.name;
    safe.stack = redactor.text(error.stack ?? '');
  }
  return safe;
}
