import { type Problem, problem } from '#contract/problems.ts';
import type { components } from '#generated/v4.ts';
import type { RuleBook } from '#contract/rule-book.ts';
import type { Secret } from '#agent/redaction/index.ts';
import { checkSecrets } from '../common/secrets.ts';

type CreateRun = components['schemas']['CreateRun'];

/** The secrets of a run (companion 7.2.2, `secretBindings`): each is typed on its hosts and those below them. */
export function secretBindings({ secretBindings: bindings }: CreateRun): Secret[] {
  return (bindings ?? []).map(({ alias, source, allowedDomains }) => ({
    name: alias,
    value: source.value,
    domains: allowedDomains.map((host) => `*.${host}`),
  }));
}

/** Refuses what the schema of the body cannot say: an alias that is given twice, and values that are too long. */
export function checkSecretBindings(body: CreateRun, rules: RuleBook): Problem | null {
  const secrets = secretBindings(body);
  const twice = secrets.findIndex(({ name }, index) => secrets.slice(0, index).some((other) => other.name === name));
  if (twice >= 0) return problem('secret_alias_twice', {}, ['body', 'secretBindings', twice, 'alias']);
  return checkSecrets(secrets, (_secret, index) => ['secretBindings', index, 'source', 'value'], rules);
}
