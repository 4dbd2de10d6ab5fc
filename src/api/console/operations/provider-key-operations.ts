import { type JsonValue, isJsonObject } from '#lib/json.ts';
import { problem } from '#contract/problems.ts';
import type { ConsoleOperation } from '../console-operation.ts';
import type { RuleBook } from '#contract/rule-book.ts';

/** Lists the providers for which the project has stored a key, with the last four characters of each key. */
export const listProviderKeys: ConsoleOperation = {
  guard: 'login',
  async answer({ login }, { providerKeys }) {
    const stored = await providerKeys.list(login.projectId);
    const shown = stored.map(({ provider, lastFour, createdAtMs }) => ({
      provider,
      lastFour,
      createdAt: new Date(createdAtMs).toISOString(),
    }));
    return { status: 200, body: shown };
  },
};

/**
 * Stores the project's key for a provider, in place of an earlier key for the same provider. No response contains the
 * key.
 */
export const setProviderKey: ConsoleOperation = {
  guard: 'login',
  async answer({ login, path, body }, { providerKeys, rules, clock }) {
    const found = path['provider'] ?? '';
    const known = listProviders(rules);
    if (!known.includes(found))
      return problem('provider_unknown', { known: known.join(', '), found }, ['path', 'provider']);
    const key = readKey(body);
    if (key === null) return problem('provider_key_malformed', {}, ['body', 'key']);
    await providerKeys.set(login.projectId, { provider: found, key, nowMs: clock.now() });
    return { status: 204, body: undefined };
  },
};

/** Returns the key of a body if it has 8 to 4,096 characters that are valid in an HTTP header; otherwise null. */
function readKey(body: JsonValue | undefined): string | null {
  const key = isJsonObject(body) ? body['key'] : null;
  return typeof key === 'string' && /^[\x21-\x7e]{8,4096}$/.test(key) ? key : null;
}

/** Removes the key that the project has stored for a provider. */
export const removeProviderKey: ConsoleOperation = {
  guard: 'login',
  async answer({ login, path }, { providerKeys }) {
    const removed = await providerKeys.remove(login.projectId, path['provider'] ?? '');
    return removed ? { status: 204, body: undefined } : problem('provider_key_not_found', {});
  },
};

/** Returns the providers for which a project can store its own key, in alphabetical order. */
export function listProviders({ models }: Pick<RuleBook, 'models'>): string[] {
  const rows = [...models.v3.models, ...models.v4.models];
  return [...new Set(rows.map(({ provider }) => provider))].toSorted();
}
