const FORM = /\b(?:DD|TT)([./-])MM\1(?:YYYY|JJJJ)\b|\bMM([./-])DD\2YYYY\b|\bYYYY([./-])MM\3DD\b/i;

/** The form that a page wants dates in, such as `DD.MM.YYYY`, when it names one; null otherwise. */
export function dateFormIn(text: string): string | null {
  const [form] = FORM.exec(text) ?? [];
  return form === undefined ? null : form.toUpperCase().replaceAll('T', 'D').replaceAll('J', 'Y');
}

/** A date such as `1990-12-24` in another form; null for what is none, or has the form already. */
export function inDateForm(value: string, form: string): string | null {
  const [, year, month, day] = /^(\d{4})-(\d{2})-(\d{2})$/.exec(value) ?? [];
  if (year === undefined || month === undefined || day === undefined) return null;
  const written = form.replace('YYYY', year).replace('MM', month).replace('DD', day);
  return written === value ? null : written;
}
