import { listRequirements } from '../../conformance/index.ts';
import { page, table } from './markdown.ts';

/** Every requirement and how the suite treats it. */
export function coveragePage(): string {
  const rows = listRequirements();
  const checked = rows.filter((row) => row.treatment === 'check').length;
  const areas = [...Map.groupBy(rows, (row) => row.area)].flatMap(([area, members]) => [
    `## ${area}`,
    table(
      ['Id', 'Level', 'Requirement', 'Treatment'],
      members.map(({ id, level, text, profile, treatment, covers }) => [
        id,
        level,
        covers > 0 ? `${text} (${covers} rows)` : text,
        profile === 'full' ? `${treatment} (\`--profile full\`)` : treatment,
      ]),
    ),
  ]);
  return page(
    'Coverage',
    `${rows.length} requirements and laws; ${checked} have a check, ${rows.length - checked} are excluded with a reason. \`svc explain <id>\` says more.`,
    ...areas,
  );
}
