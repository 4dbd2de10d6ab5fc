import { errors } from '#generated/rules.ts';
import { page, table } from './markdown.ts';

/** Every refusal of the service and the wording of schema violations. */
export function errorsPage(): string {
  const problems = errors.problems.map(({ code, status, body, message, source }) => [
    code,
    String(status),
    body,
    `\`${message}\``,
    source,
  ]);
  const violations = errors.violations.map(({ keyword, type, message }) => [keyword, type, `\`${message}\``]);
  return page(
    'Errors',
    'From `spec/rules/errors.yaml`. Body `detail`: `{"detail": text}`; `validation`: `{"detail": [{loc, msg, type}]}`.',
    table(['Code', 'Status', 'Body', 'Message', 'Source'], problems),
    '## Schema violations',
    table(['Keyword', 'Type', 'Message'], violations),
  );
}
