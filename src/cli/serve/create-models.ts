import type { Logger } from 'pino';
import type { ModelProviders } from '#agent/model/model-providers.ts';
import { type ProviderTable, createProviders } from '#agent/providers/index.ts';
import { type Clock, waitBy } from '#lib/clock/clock.ts';
import type { RuleBook } from '#contract/rule-book.ts';

/** What the service asks models with. */
export interface ModelsOptions {
  readonly rules: RuleBook;
  readonly clock: Clock;
  readonly log: Logger;
}

/** The model providers of a table, on the clock of the service; calls that fail are logged. Own keys need no row in the table. */
export function createModels(table: ProviderTable, { rules, clock, log }: ModelsOptions): ModelProviders {
  return createProviders({
    rules,
    table,
    wait: (ms, signal) => waitBy(clock, ms, signal),
    random: Math.random,
    now: () => clock.now(),
    report: (attempt) => log.warn(attempt, 'a call of a model failed'),
  });
}
