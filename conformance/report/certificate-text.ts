import type { Paint } from './paint.ts';
import type { Certificate, MissingRow, Report } from '../core/report.ts';
import { wrap } from './wrap.ts';

/** Renders the certificates of the requested sets as text; empty without a requested set. */
export function certificateText({ certify = [] }: Report, columns: number, paint: Paint): string {
  return certify.map((certificate) => describe(certificate, columns, paint)).join('\n');
}

/** Returns a text such as "certified v4 (set 2026-11-20): 54 of 54". */
export function certificateSentence({ certified, set, frozen, passed, total }: Certificate): string {
  return `${certified ? 'certified' : 'not certified'} ${set} (set ${frozen}): ${passed} of ${total}`;
}

function describe(certificate: Certificate, columns: number, paint: Paint): string {
  const { certified, missing, excluded, advised } = certificate;
  const colour = certified ? paint.green : paint.red;
  const violated = missing.filter(({ verdict }) => verdict === 'violation');
  return [
    colour(paint.bold(certificateSentence(certificate))),
    ...group('violated', violated, columns),
    ...group(
      'not shown',
      missing.filter((row) => !violated.includes(row)),
      columns,
    ),
    ...group('advice not followed or not shown; it forbids nothing', advised, columns),
    ...excludedLines(excluded, columns),
  ].join('\n');
}

function group(title: string, rows: readonly MissingRow[], columns: number): string[] {
  if (rows.length === 0) return [];
  return [`  ${title}`, ...rows.map(({ id, why }) => `    ${wrap(`${id}: ${why}`, columns, '      ')}`)];
}

// The class of each reason suffices here: the report contains the details.
function excludedLines(excluded: Certificate['excluded'], columns: number): string[] {
  const byClass = Map.groupBy(excluded, ({ reason }) => reason.split(':')[0] ?? reason);
  if (byClass.size === 0) return [];
  const lines = [...byClass].map(([name, rows]) => `${name}: ${rows.map(({ id }) => id).join(', ')}`);
  return ['  not checkable from outside', ...lines.map((line) => `    ${wrap(line, columns, '      ')}`)];
}
