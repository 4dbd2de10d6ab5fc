import type { ModelAnswer, ModelChoice, ModelProviders, ModelRequest, ModelRoute } from '#agent/model/model-call.ts';

/** One call that reached a model of a test. */
export interface SeenCall {
  readonly choice: ModelChoice;
  readonly request: ModelRequest;
}

/** How a test answers calls; it settles only with an answer or the signal's reason. */
export type Answering = (call: SeenCall, signal: AbortSignal) => Promise<ModelAnswer>;

/** Model providers in the hands of a test. */
export interface ScriptedModels extends ModelProviders {
  /** Every call, in order. */
  readonly calls: SeenCall[];
  /** What a model is asked for a title or a judgement is not among the calls, and answered with this; null for a failure. */
  opinion: ((request: ModelRequest) => string) | null;
  /** Told when such a call comes, which is then answered never; @defaultValue they are answered */
  opinionUntilAborted?: () => void;
  /** What the next calls are answered with; @defaultValue {@link replied} with no tokens */
  answering: Answering;
}

/** Providers without a will of their own; every model has a route. */
export function createScriptedModels(
  routes: ReadonlyMap<string, ModelRoute> = new Map<string, ModelRoute>([['openai', 'cloud']]),
): ScriptedModels {
  const models: ScriptedModels = {
    calls: [],
    routes,
    opinion: null,
    answering: async () => replied(0, 0),
    clientFor: async (choice) => ({
      seesImages: true,
      hasNativeOutput: true,
      async call(request, signal) {
        if (/^You (name|judge)/.test(request.system)) {
          if (models.opinionUntilAborted !== undefined) {
            models.opinionUntilAborted();
            return untilAborted(signal);
          }
          return models.opinion === null ? silent : said(models.opinion(request));
        }
        const call = { choice, request };
        models.calls.push(call);
        return models.answering(call, signal);
      },
    }),
  };
  return models;
}

const silent: ModelAnswer = {
  ok: false,
  failure: { kind: 'overloaded', message: 'No opinion.' },
  usage: { inputTokens: 0, outputTokens: 0 },
};

/** A reply of three tokens in and two out. */
function said(text: string): ModelAnswer {
  const usage = { inputTokens: 3, outputTokens: 2 };
  return { ok: true, reply: { text, toolCalls: [], end: 'done', usage, replay: null } };
}

/** A reply that used so many tokens. */
export function replied(inputTokens: number, outputTokens: number): ModelAnswer {
  const usage = { inputTokens, outputTokens };
  return { ok: true, reply: { text: 'done', toolCalls: [], end: 'done', usage, replay: null } };
}

/** A request that a model answers with at most so many tokens. */
export function asking(maxOutputTokens: number, system = 'You are a test.'): ModelRequest {
  return { system, messages: [], tools: [], toolChoice: 'none', outputSchema: null, maxOutputTokens };
}

/** Never answers; rejects with the signal's reason. */
export function untilAborted(signal: AbortSignal): Promise<never> {
  const { promise, reject } = Promise.withResolvers<never>();
  signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  return promise;
}
