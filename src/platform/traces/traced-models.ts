import { modelRoute } from '#contract/reasoning/model-route.ts';
import { normaliseModel } from '#contract/reasoning/normalise-model.ts';
import type { RuleBook } from '#contract/rule-book.ts';
import type { SpanFacts, Tracer } from '#lib/tracer.ts';
import type { ModelAnswer } from '#agent/model/model-call.ts';
import type { ModelProviders } from '#agent/model/model-providers.ts';

/** The providers, with the calls of their models drawn as the semantic conventions for generative AI have it: no prompt and no answer. */
export function tracedModels(models: ModelProviders, rules: RuleBook, tracer: Tracer): ModelProviders {
  return {
    ...models,
    async clientFor(choice) {
      const client = await models.clientFor(choice);
      if (client === null) return null;
      const model = normaliseModel(rules, choice.generation, choice.model);
      const facts = {
        'gen_ai.operation.name': 'chat',
        'gen_ai.provider.name': modelRoute(rules, choice.generation, choice.model)?.provider ?? 'unknown',
        'gen_ai.request.model': model,
      };
      return {
        ...client,
        call: (request, signal) =>
          tracer.span({ name: `chat ${model}`, isCall: true, facts }, async (tell) => {
            const answer = await client.call(request, signal);
            tell(endOf(answer));
            return answer;
          }),
      };
    },
  };
}

function endOf(answer: ModelAnswer): SpanFacts {
  const { inputTokens, outputTokens } = answer.ok ? answer.reply.usage : answer.usage;
  return {
    'gen_ai.usage.input_tokens': inputTokens,
    'gen_ai.usage.output_tokens': outputTokens,
    ...(answer.ok ? {} : { 'error.type': answer.failure.kind }),
  };
}
