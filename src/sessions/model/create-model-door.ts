import type { ModelAnswer, ModelClient, ModelDoor, ModelRequest } from '#agent/model/model-call.ts';
import type { EngineState } from '../parts.ts';
import { TaskEnd } from '../task-end.ts';
import { bookCall, releaseCall } from './book-call.ts';
import type { CallPlace } from './call-place.ts';
import { reserveCall } from './reserve-call.ts';

/** The model of a run with its money. */
export interface OpenedModel {
  /** What the agent calls: a call that may not fit the run's bounds ends the task. */
  readonly door: ModelDoor;
  /** The same for what a task can do without: a call that may not fit is answered as a failure, and the task goes on. */
  readonly side: ModelDoor;
  /** Whether the agent made any call. Then the tokens of the run are booked with its calls, and not with its steps. */
  wasCalled(): boolean;
}

/** What a door stands before. */
export interface DoorParts {
  readonly client: ModelClient;
  readonly place: CallPlace;
  /** Ends the task. */
  readonly task: AbortController;
}

/** A client with money: each call is reserved before it is made and booked once after it. */
export function createModelDoor(engine: EngineState, parts: DoorParts): OpenedModel {
  let calls = 0;
  const { seesImages, hasNativeOutput } = parts.client;
  const behind = (onRefusal: (reason: string) => ModelAnswer): ModelDoor => ({
    seesImages,
    hasNativeOutput,
    call: (request) => call(engine, { ...parts, onRefusal }, request),
  });
  const main = behind((reason) => {
    parts.task.abort(new TaskEnd('ceiling', reason));
    throw parts.task.signal.reason;
  });
  return {
    door: {
      ...main,
      call(request) {
        calls += 1;
        return main.call(request);
      },
    },
    side: behind((message) => ({ ok: false, failure: { kind: 'out-of-credit', message }, usage: nothing })),
    wasCalled: () => calls > 0,
  };
}

const nothing = { inputTokens: 0, outputTokens: 0 };

interface Called extends DoorParts {
  /** Answers for a call that may not fit, or throws. */
  readonly onRefusal: (reason: string) => ModelAnswer;
}

async function call(
  engine: EngineState,
  { client, place, task, onRefusal }: Called,
  request: ModelRequest,
): Promise<ModelAnswer> {
  task.signal.throwIfAborted();
  const reserved = await reserveCall(engine, place, request);
  if (reserved === 'ended') return stopped(task);
  if ('refusal' in reserved) return onRefusal(reserved.refusal);
  const { callId, maxOutputTokens } = reserved;
  const answer = await ask(engine, callId, () => client.call({ ...request, maxOutputTokens }, task.signal));
  const usage = answer.ok ? answer.reply.usage : answer.usage;
  if (!(await bookCall(engine, { callId, place, usage }))) return stopped(task);
  task.signal.throwIfAborted();
  return answer;
}

/** Without an answer nobody knows what the provider charges: the service bears it (decision 36). */
async function ask(engine: EngineState, callId: string, answer: () => Promise<ModelAnswer>): Promise<ModelAnswer> {
  try {
    return await answer();
  } catch (error) {
    await releaseCall(engine, callId);
    throw error;
  }
}

/** Somebody ended the run: its task must not go on. */
function stopped(task: AbortController): never {
  if (!task.signal.aborted) task.abort(new TaskEnd('stopped'));
  throw task.signal.reason;
}
