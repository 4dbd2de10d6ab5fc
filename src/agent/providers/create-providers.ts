import { type JsonObject, isJsonObject } from '#lib/json.ts';
import { levelControl } from '#contract/model-controls.ts';
import { type ModelRoute, modelRoute, modelRow, normaliseModel } from '#contract/models.ts';
import type { RuleBook } from '#contract/rule-book.ts';
import type { ModelChoice, ModelClient, ModelProviders } from '../model/model-call.ts';
import type { ProviderAccess, ProviderTable } from './configuration.ts';
import type { CallSurroundings } from './model-client.ts';

/** Dependencies of the model providers. */
export interface ProvidersOptions extends Omit<CallSurroundings, 'rules'> {
  readonly rules: RuleBook;
  /** Providers with a key of the service. */
  readonly table: ProviderTable;
}

/**
 * Creates the model providers of a service: routes by provider, and clients for models. SDKs are loaded on first use.
 */
export function createProviders(options: ProvidersOptions): ModelProviders {
  return {
    routes: new Map([...options.table].map(([provider, { route }]) => [provider, route])),
    async clientFor(choice) {
      const route = modelRoute(options.rules, choice.generation, choice.model);
      const access = route === null ? null : accessFor(choice, route, options);
      return route === null || access === null ? null : getClient({ choice, route, access }, options);
    },
  };
}

/**
 * Returns the access to the provider of a task, with the caller's own key if the task has one; null if no suitable
 * access is configured.
 */
function accessFor(
  { generation, model, ownKey }: ModelChoice,
  { provider }: ModelRoute,
  { rules, table }: ProvidersOptions,
): ProviderAccess | null {
  const access = table.get(provider);
  if (ownKey !== null) return accessWith(ownKey, { provider, access, rules });
  const availability = modelRow(rules, generation, normaliseModel(rules, generation, model))?.availability;
  if (access === undefined || availability === 'own-key') return null;
  return availability === 'cloud' && access.route !== 'cloud' ? null : access;
}

/**
 * Returns the access to a provider with the caller's key: always to the provider itself, never to a cloud platform.
 * Null for a provider that spec/rules/providers.yaml does not list; throws a RangeError for a key of another provider.
 */
function accessWith(
  ownKey: NonNullable<ModelChoice['ownKey']>,
  { provider, access, rules }: { provider: string; access: ProviderAccess | undefined; rules: RuleBook },
): ProviderAccess | null {
  if (ownKey.provider !== provider)
    throw new RangeError(`found a key of ${ownKey.provider} for a model of ${provider}, expected one of ${provider}`);
  if (access?.route === 'direct') return { ...access, apiKey: ownKey.key };
  const row = rules.providers.providers.find((candidate) => candidate.provider === provider);
  return row === undefined ? null : { apiKey: ownKey.key, baseUrl: row.baseUrl, route: 'direct' };
}

interface Served {
  readonly choice: ModelChoice;
  readonly route: ModelRoute;
  readonly access: ProviderAccess;
}

async function getClient({ choice, route, access }: Served, options: ProvidersOptions): Promise<ModelClient> {
  const { createModelClient, createWire } = await import('./model-client.ts');
  const { rules } = options;
  const { provider, name: model } = route;
  const controls = getControls(choice, rules);
  const traits = rules.providers.traits.find((row) => row.route === `${provider}/${model}`);
  const { images = false, nativeOutput = false, reasons = false } = traits ?? {};
  const replaysThinking = choice.generation !== 'v2';
  const target = { ...access, model, controls, replaysThinking, reasons, nativeOutput };
  const wire = await createWire(rules.providers, provider, target);
  const described = { wire, provider, model, seesImages: images, hasNativeOutput: nativeOutput };
  return createModelClient(
    { ...described, outputTokensMin: outputTokensMin(controls) },
    { ...options, rules: rules.providers },
  );
}

/**
 * Returns the reasoning controls: for V4 modelParams unchanged, for V2 and V3 the controls of the thinking level for
 * the model's family.
 */
function getControls({ generation, model, thinkingLevel, modelParams }: ModelChoice, rules: RuleBook): JsonObject {
  if (generation === 'v4') return modelParams ?? {};
  const name = normaliseModel(rules, generation, model);
  return levelControl(rules, { version: generation, model: name, level: thinkingLevel }) ?? {};
}

/** Minimum output tokens for the reply, in addition to a fixed thinking budget. */
const replyTokensMin = 1024;

/**
 * Returns the minimum output limit of a request: 1, or with a fixed thinking budget the sum of this budget and {@link
 * replyTokensMin}.
 */
function outputTokensMin({ thinking, thinkingConfig }: JsonObject): number {
  const budgets = [
    isJsonObject(thinking) ? thinking['budget_tokens'] : null,
    isJsonObject(thinkingConfig) ? thinkingConfig['thinkingBudget'] : null,
  ];
  const budget = budgets.find((value) => typeof value === 'number') ?? 0;
  return budget === 0 ? 1 : budget + replyTokensMin;
}
