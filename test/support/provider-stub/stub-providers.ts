import { setImmediate } from 'node:timers/promises';
import { createProviders } from '#agent/providers/create-providers.ts';
import type { ModelProviders } from '#agent/model/model-call.ts';
import type { JsonObject } from '#lib/json.ts';
import { type RuleBook, defaultRules } from '#contract/rule-book.ts';
import { type ProviderStub, stubKey } from './start-provider-stub.ts';

/** Model providers whose requests go to the stub, and the waits before their retries. */
export interface StubProviders {
  readonly providers: ModelProviders;
  /** Waits between attempts in milliseconds. */
  readonly waits: readonly number[];
  /** Reports of failed attempts. */
  readonly reports: readonly JsonObject[];
}

/** Options of {@link stubProviders}. */
export interface StubChanges {
  readonly rules?: RuleBook;
  /** @defaultValue all providers */
  readonly names?: readonly string[];
  /** @defaultValue direct */
  readonly route?: 'direct' | 'cloud';
  /** @defaultValue the stub's key */
  readonly apiKey?: string;
}

/** Creates providers that all use the stub. Waits are recorded and skipped. */
export function stubProviders({ address }: Pick<ProviderStub, 'address'>, changes: StubChanges = {}): StubProviders {
  const { rules = defaultRules, route = 'direct', apiKey = stubKey } = changes;
  const waits: number[] = [];
  const reports: JsonObject[] = [];
  const names = changes.names ?? rules.providers.providers.map(({ provider }) => provider);
  // The OpenAI client expects the version in its base URL, the other clients do not.
  const baseUrl = (name: string): string => `${address}/${name}${name === 'openai' ? '/v1' : ''}`;
  const table = new Map(names.map((name) => [name, { apiKey, baseUrl: baseUrl(name), route }]));
  const providers = createProviders({
    rules,
    table,
    async wait(ms, signal) {
      waits.push(ms);
      await setImmediate(undefined, { signal });
    },
    random: () => 0.5,
    now: () => Date.parse('2026-01-01T00:00:00Z'),
    report: (attempt) => reports.push(attempt),
  });
  return { providers, waits, reports };
}
