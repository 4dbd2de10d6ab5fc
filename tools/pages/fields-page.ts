import { acceptedFields } from '#generated/rules.ts';
import { page, table } from './markdown.ts';

/** Request members that are accepted without their full effect. */
export function fieldsPage(): string {
  const rows = acceptedFields.fields.map(({ version, schema, field, effect, reason, source }) => [
    version,
    schema,
    `\`${field}\``,
    effect,
    reason,
    source,
  ]);
  return page(
    'Members without their full effect',
    'From `spec/rules/accepted-fields.yaml`. The reference accepts and checks these members; what they ask for it does not do, or not all of it.',
    table(['Generation', 'Body', 'Member', 'Effect', 'Why', 'Source'], rows),
  );
}
