import type { ModelAnswer, MeteredModel, ModelRequest } from '../../model/model-call.ts';

/** A door whose model gives the scripted answers, one after the other; `asked` is what it was asked. */
export interface ScriptedDoor extends MeteredModel {
  readonly asked: ModelRequest[];
}

const usage = { inputTokens: 10, outputTokens: 5 };

/** A text is a reply that ended by itself; any other answer is given as it is. Rejects when nothing is left to say. */
export function scriptedDoor(script: readonly (string | ModelAnswer)[], hasNativeOutput = false): ScriptedDoor {
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

/** A call that the provider refused. */
export function refusedCall(kind: 'bad-request' | 'overloaded'): ModelAnswer {
  return { ok: false, failure: { kind, message: `The model is ${kind}.` }, usage: { inputTokens: 0, outputTokens: 0 } };
}
