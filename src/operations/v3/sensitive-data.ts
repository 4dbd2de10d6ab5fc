import { type Problem, problem } from '#contract/problems.ts';
import type { RuleBook } from '#contract/rule-book.ts';
import type { Secret } from '#agent/redaction/index.ts';
import { checkSecrets, secretsOf } from '../common/secrets.ts';
import type { CreateBody } from './create-command.ts';

/** The secrets of a task (companion 6.2, `sensitiveData`): names, whose values may be typed on any page. */
export function sensitiveData(body: CreateBody): Secret[] {
  return secretsOf(body.sensitiveData, () => null);
}

/** Refuses secrets that nobody could use, and values that are too long. */
export function checkSensitiveData(body: CreateBody, rules: RuleBook): Problem | null {
  const secrets = sensitiveData(body);
  if (secrets.length === 0) return null;
  if (typeof body.task !== 'string') return problem('secrets_without_task', {}, ['body', 'sensitiveData']);
  return checkSecrets(secrets, ({ name }) => ['sensitiveData', name], rules);
}
