/** The output of a V3 session as text, one that is none as JSON in lines; null without one. */
export function outputText(output: unknown): string | null {
  if (output === null || output === undefined || output === '') return null;
  return typeof output === 'string' ? output : JSON.stringify(output, null, 2);
}
