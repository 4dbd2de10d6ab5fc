import type { ModelAnswer, ModelPart, ModelRequest } from '../model/model-call.ts';
import type { Observation } from './observe.ts';
import { FINISH_TOOL } from './tools/finish-tool.ts';
import type { Work } from './work.ts';

/** Shows the model where its task stands, and asks what to do. Rejects with the signal's reason. */
export async function askModel(work: Work, observation: Observation): Promise<ModelAnswer> {
  const request = requestOf(work, observation);
  const answer = await work.model.call(request);
  work.progress.addCall(answer.ok ? answer.reply.usage : answer.usage);
  return answer;
}

function requestOf(work: Work, observation: Observation): ModelRequest {
  const hasSteps = work.progress.stepsLeft() > 0;
  const tools = hasSteps ? work.calls.tools : [];
  const last = hasSteps ? '' : '\nNo steps are left: call finish now, and say honestly whether the goal is reached.';
  return {
    system: work.system,
    messages: work.conversation.messages(shown(work, observation, last)),
    tools: [...tools.map(({ name, description, parameters }) => ({ name, description, parameters })), FINISH_TOOL],
    toolChoice: 'auto',
    outputSchema: null,
    maxOutputTokens: work.parts.limits.replyTokens,
  };
}

function shown({ calls }: Work, { data, remark, picture }: Observation, last: string): ModelPart[] {
  const page = data === '' ? '' : `\nThe browser now:\n${calls.fence(data)}`;
  const words: ModelPart = { kind: 'text', text: `${page}\n${remark}${last}`.trim() };
  return [words, ...(picture === null ? [] : [{ kind: 'image', mediaType: 'image/jpeg', bytes: picture } as const])];
}
