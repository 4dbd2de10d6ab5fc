import type { ModelAnswer, ModelProviders, ModelRequest } from '../../src/agent/model/model-call.ts';

/** Model providers that all ask one {@link ModelStub}; `onCall` is told who asked and how long it took, in milliseconds. */
export function createHttpModels(
  address: string,
  onCall: (system: string, ms: number) => void = () => undefined,
): ModelProviders {
  return {
    routes: new Map(),
    clientFor: async () => ({
      seesImages: true,
      hasNativeOutput: false,
      async call(request, signal) {
        const begun = performance.now();
        try {
          return await ask(address, request, signal);
        } finally {
          onCall(request.system, performance.now() - begun);
        }
      },
    }),
  };
}

async function ask(address: string, { system }: ModelRequest, signal: AbortSignal): Promise<ModelAnswer> {
  const response = await fetch(address, { method: 'POST', body: JSON.stringify({ system }), signal });
  const usage: { inputTokens: number; outputTokens: number } = JSON.parse(await response.text());
  return { ok: true, reply: { text: 'go on', toolCalls: [], end: 'done', usage, replay: null } };
}
