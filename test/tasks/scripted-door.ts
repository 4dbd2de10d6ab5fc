import { call, finish, type ScriptedTurn, scriptedModel } from '#agent/loop/testing/scripted-model.ts';
import type { MeteredModel } from '#agent/model/model-call.ts';
import { Hand, type Script } from './hand.ts';

/**
 * Creates a model that follows a script. The script reads each page snapshot and yields the next tool call. If the
 * script cannot continue, the task fails with the script's error.
 */
export function scriptedDoor(script: Script, origin: string): MeteredModel {
  const hand = new Hand();
  const steps = script(hand, origin);
  return scriptedModel(({ latest }) => {
    hand.seen = latest;
    return next(steps);
  });
}

/**
 * Returns the next tool call of a script. When the script has ended, returns the call `finish` with the end of the
 * script. If the script has thrown an error, returns the call `finish` with a failure.
 */
function next(steps: ReturnType<Script>): ScriptedTurn {
  try {
    const { value } = steps.next();
    if ('name' in value) return call(value.name, value.input);
    return finish(value.text, value.output === undefined ? undefined : JSON.stringify(value.output));
  } catch (error) {
    return call('finish', { success: false, text: String(error) });
  }
}
