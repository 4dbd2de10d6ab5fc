import type { ReportRow, Verdict } from '../core/report.ts';

/** How a verdict is named and drawn; the sign is for eyes, the word for everybody. */
export const verdictWords: Readonly<Record<Verdict, { word: string; plural: string; sign: string }>> = {
  violation: { word: 'violation', plural: 'violated', sign: '✕' },
  error: { word: 'error', plural: 'errors', sign: '!' },
  warning: { word: 'warning', plural: 'warnings', sign: '△' },
  note: { word: 'note', plural: 'notes', sign: 'i' },
  pass: { word: 'pass', plural: 'passed', sign: '✓' },
  notTestable: { word: 'not testable', plural: 'not testable', sign: '–' },
  notRun: { word: 'not run', plural: 'not run', sign: '·' },
};

/** Every verdict, the worst first. */
export const verdictOrder: readonly Verdict[] = [
  'violation',
  'error',
  'warning',
  'note',
  'pass',
  'notTestable',
  'notRun',
];

/** True for a row that something was found in. */
export function isFinding({ verdict }: ReportRow): boolean {
  return ['violation', 'error', 'warning', 'note'].includes(verdict);
}

/** A number and its noun: `1 request`, `2 requests`. */
export function counted(count: number, noun: string, plural = `${noun}s`): string {
  return `${count} ${count === 1 ? noun : plural}`;
}
