import { normaliseModel } from '#contract/reasoning/normalise-model.ts';
import { modelRoute } from '#contract/reasoning/model-route.ts';
import type { RuleBook } from '#contract/rule-book.ts';
import { type TokenPrice, picosOf, tokenPrice } from '#contract/token-price.ts';
import type { ModelAnswer, ModelClient } from '#agent/model/model-call.ts';
import type { ModelProviders } from '#agent/model/model-providers.ts';
import type { MeterMaker } from './meters.ts';

const picosPerUsd = 1e12;

/** The providers, with the calls of their models counted: by provider only, because a caller chooses the model. */
export function meteredModels(models: ModelProviders, rules: RuleBook, make: MeterMaker): ModelProviders {
  const book = createBook(make);
  return {
    ...models,
    async clientFor(choice) {
      const client = await models.clientFor(choice);
      if (client === null) return null;
      const { generation, ownKey } = choice;
      const provider = modelRoute(rules, generation, choice.model)?.provider ?? 'unknown';
      const model = normaliseModel(rules, generation, choice.model);
      const price = tokenPrice(rules.pricing, { model, isOwnKey: ownKey !== null });
      return metered(client, (call) => book({ provider, price }, call));
    },
  };
}

type Book = (of: { readonly provider: string; readonly price: TokenPrice }, call: Call) => Promise<ModelAnswer>;
type Call = () => Promise<ModelAnswer>;

function createBook(make: MeterMaker): Book {
  const calls = make.counter('svc_model_calls_total', ['provider', 'outcome']);
  const durations = make.histogram('svc_model_call_duration_seconds', ['provider']);
  const tokens = make.counter('svc_model_tokens_total', ['provider', 'direction']);
  const cost = make.counter('svc_model_cost_usd_total', ['provider']);
  return async ({ provider, price }, call) => {
    const seconds = durations.startTimer({ provider });
    const answer = await call();
    seconds();
    const usage = answer.ok ? answer.reply.usage : answer.usage;
    calls.inc({ provider, outcome: answer.ok ? 'ok' : answer.failure.kind });
    tokens.inc({ provider, direction: 'input' }, usage.inputTokens);
    tokens.inc({ provider, direction: 'output' }, usage.outputTokens);
    cost.inc({ provider }, picosOf(price, usage) / picosPerUsd);
    return answer;
  };
}

/** A task that was ended while it waited for its model rejects, and is not counted. */
function metered(client: ModelClient, book: (call: Call) => Promise<ModelAnswer>): ModelClient {
  return { ...client, call: (request, signal) => book(() => client.call(request, signal)) };
}
