import type { Problem } from '#contract/problems.ts';
import type { components } from '#generated/v2.ts';
import type { RuleBook } from '#contract/rule-book.ts';
import type { Secret } from '#agent/redaction/index.ts';
import { checkSecrets, secretsOf } from '../common/secrets.ts';

type CreateTask = components['schemas']['CreateTask'];

/** An entry of allowedDomains that holds a dot. */
const domainPattern = /^(https?:\/\/)?(\*\.)?(?=[^:]*\.)[a-z0-9]([a-z0-9.-]*[a-z0-9])?(:\d{1,5})?$/i;

/** The secrets of a task (companion 5.2, `secrets`): the value of a key that is a domain is typed there only, any other on any page. */
export function taskSecrets({ secrets }: CreateTask): Secret[] {
  return secretsOf(secrets, (key) => (domainPattern.test(key) ? [key] : null));
}

/** Refuses values that are too long. */
export function checkTaskSecrets(body: CreateTask, rules: RuleBook): Problem | null {
  return checkSecrets(taskSecrets(body), ({ name }) => ['secrets', name], rules);
}
