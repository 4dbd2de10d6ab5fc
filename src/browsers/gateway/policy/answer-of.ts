import type { cdpPolicy } from '#generated/rules.ts';
import type { JsonObject } from '#lib/json.ts';
import { fillTemplate } from '#contract/problems.ts';
import type { RuleBook } from '#contract/rule-book.ts';

/** Names of the rows of spec/rules/cdp-policy.yaml that word an answer. */
export type AnswerName = (typeof cdpPolicy)['answers'][number]['answer'];

/** The error of a DevTools reply, worded by the table. Throws when the table has no such row, which is a bug of whoever made it. */
export function answerOf(
  table: RuleBook['cdpPolicy'],
  name: AnswerName,
  values: Readonly<Record<string, string>>,
): JsonObject {
  const row = table.answers.find(({ answer }) => answer === name);
  if (row === undefined) throw new Error(`cdpPolicy: found no answer ${name}`);
  return { code: row.code, message: fillTemplate(row.message, values) };
}
