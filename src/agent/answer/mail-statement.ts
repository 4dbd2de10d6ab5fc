import { literal } from './literal.ts';
import type { MailAction } from './plan.ts';
import { unreachable } from './unreachable.ts';

/** Statements that do the same with a mailbox of one's own, of which a script knows what its environment says. */
export function mailStatement(action: MailAction): string[] {
  switch (action.kind) {
    case 'mailAddress':
      return [fill(action.field, 'MAIL_ADDRESS')];
    case 'waitForMail':
      return ['// Here a mail was waited for: give what it says as MAIL_LINK, MAIL_CODE or MAIL_TEXT.'];
    case 'mailLink':
      return ["await page.goto(process.env['MAIL_LINK'] ?? '');"];
    case 'mailCode':
      return action.field === null ? ["output.text = process.env['MAIL_CODE'];"] : [fill(action.field, 'MAIL_CODE')];
    case 'readMail':
      return ["output.text = process.env['MAIL_TEXT'];"];
    default:
      return unreachable(action);
  }
}

function fill(field: string, variable: string): string {
  const name = literal(field);
  return `await page.getByLabel(${name}).or(page.getByPlaceholder(${name})).first().fill(process.env['${variable}'] ?? '');`;
}
