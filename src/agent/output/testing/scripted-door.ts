import type { ModelAnswer, MeteredModel, ModelRequest } from '../../model/model-call.ts';

/** A metered model with scripted responses for tests; `asked` records its requests. */
export interface ScriptedMeteredModel extends MeteredModel {
  readonly asked: ModelRequest[];
}

const usage = { inputTokens: 10, outputTokens: 5 };

/**
 * Creates a metered model with scripted responses. A string is a completed reply; other responses are returned
 * unchanged. Rejects when the script has ended.
 */
export function scriptedMeteredModel(
  script: readonly (string | ModelAnswer)[],
  hasNativeOutput = false,
): ScriptedMeteredModel {
  const asked: ModelRequest[] = [];
  return {
    asked,
    seesImages: false,
    hasNativeOutput,
    async call(request) {
      const answer = script[asked.length];
      asked.push(request);
      if (answer === undefined) throw new Error('the scripted model was asked once too often');
      if (typeof answer !== 'string') return answer;
      return { ok: true, reply: { text: answer, toolCalls: [], end: 'done', usage, replay: null } };
    },
  };
}

/** Returns the answer for a call that failed with the given kind of failure and without usage. */
export function refusedCall(kind: 'bad-request' | 'overloaded'): ModelAnswer {
  return { ok: false, failure: { kind, message: `The model is ${kind}.` }, usage: { inputTokens: 0, outputTokens: 0 } };
}
