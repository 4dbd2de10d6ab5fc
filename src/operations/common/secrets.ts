import { type Problem, problem } from '#contract/problems.ts';
import { getLimit, type RuleBook } from '#contract/rule-book.ts';
import type { Secret } from '#agent/redaction/secrets.ts';

/** Secret values by key; absent and null mean none. */
type Named = Readonly<Record<string, string>> | null | undefined;

/**
 * Converts secret values to secrets. `findDomains` returns the domains where the value of a key may be typed, null for
 * all pages.
 */
export function readSecrets(named: Named, findDomains: (key: string) => readonly string[] | null): Secret[] {
  return Object.entries(named ?? {}).map(([name, value]) => ({ name, value, domains: findDomains(name) }));
}

/**
 * Returns the refusal of a secret that is too long, or of secrets that are too large together; else null. `secretPath`
 * returns the path of a secret in the body. The refusal shows no value.
 */
export function checkSecrets(
  secrets: readonly Secret[],
  secretPath: (secret: Secret, index: number) => readonly [string | number, ...(string | number)[]],
  rules: RuleBook,
): Problem | null {
  const [limit, limitOfAll] = [getLimit(rules, 'secretValue'), getLimit(rules, 'secretsOfTask')];
  let all = 0;
  for (const [index, secret] of secrets.entries()) {
    const found = Buffer.byteLength(secret.value);
    if (found > limit)
      return problem('secret_too_long', { found: String(found), limit: String(limit) }, [
        'body',
        ...secretPath(secret, index),
      ]);
    all += found;
    if (all > limitOfAll)
      return problem('secrets_too_long', { found: String(all), limit: String(limitOfAll) }, [
        'body',
        ...secretPath(secret, index),
      ]);
  }
  return null;
}
