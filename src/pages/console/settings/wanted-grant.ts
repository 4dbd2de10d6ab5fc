import type { ConsoleGrant } from '../../../contract/console-messages.ts';
import type { FormValues } from '../parts/form-values.ts';

const microsPerUsd = 1_000_000;

/** What a form of credit and limits asks for; an empty field is no bound. */
export function wantedGrant(values: Pick<FormValues, 'text' | 'isTicked'>): ConsoleGrant {
  const [credit, sessions] = [values.text('credit'), values.text('sessions')];
  return {
    creditMicros: credit === '' ? null : Math.round(Number(credit) * microsPerUsd),
    sessionsMax: sessions === '' ? null : Number(sessions),
    zeroDataRetention: values.isTicked('zero'),
  };
}
