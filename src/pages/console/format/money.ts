const microsPerUsd = 1_000_000;

/** US dollars as people read them: two digits, more where there would be nothing but zeros, `<$0.0001` below that. */
export function usd(amount: number): string {
  if (amount === 0) return '$0';
  if (Math.abs(amount) < 0.0001) return '<$0.0001';
  const digits = Math.abs(amount) >= 1 ? 2 : 4;
  const text = amount.toFixed(digits);
  return `$${digits === 4 ? text.replace(/0{1,2}$/, '') : text}`;
}

/** The same of a decimal string, as records have it. */
export function usdOfText(text: string | undefined): string {
  return usd(Number(text ?? 0));
}

/** The same of micro-dollars. */
export function usdOfMicros(micros: number): string {
  return usd(micros / microsPerUsd);
}
