import type { ModelAnswer, ModelChoice, ModelProviders, ModelRequest, ModelRoute } from '#agent/model/model-call.ts';

/** A call of a model. */
export interface SeenCall {
  readonly choice: ModelChoice;
  readonly request: ModelRequest;
}

/** Answers a call; rejects only with the signal's reason. */
export type Answering = (call: SeenCall, signal: AbortSignal) => Promise<ModelAnswer>;

/** Model providers that the test controls. */
export interface ScriptedModels extends ModelProviders {
  /** Every call, in order. */
  readonly calls: SeenCall[];
  /**
   * Answers requests for titles and judgements; `calls` does not contain these requests. If it is null, these requests
   * fail.
   */
  opinion: ((request: ModelRequest) => string) | null;
  /**
   * If set, requests for titles and judgements are never answered, and this function is called for each of them.
   * @defaultValue these requests are answered
   */
  opinionUntilAborted?: () => void;
  /**
   * Answers each call of a model. A test can replace this function at any time; calls that follow use the new one.
   * @defaultValue a reply without tokens
   */
  answering: Answering;
}

/** Creates providers with a route for every model. */
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

/** Returns a reply with three input and two output tokens. */
function said(text: string): ModelAnswer {
  const usage = { inputTokens: 3, outputTokens: 2 };
  return { ok: true, reply: { text, toolCalls: [], end: 'done', usage, replay: null } };
}

/** Returns a reply with these numbers of tokens. */
export function replied(inputTokens: number, outputTokens: number): ModelAnswer {
  const usage = { inputTokens, outputTokens };
  return { ok: true, reply: { text: 'done', toolCalls: [], end: 'done', usage, replay: null } };
}

/** Returns a request with a limit of output tokens. */
export function asking(maxOutputTokens: number, system = 'You are a test.'): ModelRequest {
  return { system, messages: [], tools: [], toolChoice: 'none', outputSchema: null, maxOutputTokens };
}

/** Rejects with the signal's reason when it is aborted; never resolves. */
export function untilAborted(signal: AbortSignal): Promise<never> {
  const { promise, reject } = Promise.withResolvers<never>();
  signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  return promise;
}
