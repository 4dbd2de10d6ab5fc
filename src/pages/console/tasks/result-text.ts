import type { Run } from '../api/types.ts';

/** The result of a run as text: what conforms to a schema as JSON, in lines; null without one. */
export function resultText({
  output,
  outputSchema,
  result,
}: Pick<Run, 'output' | 'outputSchema' | 'result'>): string | null {
  if (outputSchema !== null && outputSchema !== undefined && output !== null && output !== undefined)
    return JSON.stringify(output, null, 2);
  return result ?? null;
}
