import type { AgentOutcome } from '../agent.ts';
import type { ModelReply } from '../model/model-call.ts';
import { giveUp } from '../answer/finish.ts';
import { answerCalls } from './answer-calls.ts';
import type { Work } from './work.ts';

const GO_ON = 'You called no tool. Go on with the task by calling one; when it is done or cannot be done, call finish.';
const SHORTER = 'Your answer was too long and was cut off. Answer with one call of a tool and few words.';

/** Does what a model wants, or tells it why not; the task's outcome once there is one. */
export async function answerReply(work: Work, reply: ModelReply): Promise<AgentOutcome | null> {
  if (reply.end === 'refused') return giveUp(work.task, refusal(reply), []);
  if (reply.toolCalls.length > 0) {
    work.wordsOnly = 0;
    return answerCalls(work, reply);
  }
  work.wordsOnly += 1;
  if (work.wordsOnly === 1) {
    const said = reply.end === 'length' ? SHORTER : GO_ON;
    work.conversation.add({ reply, answer: { said }, summaries: [] });
    // The page may have gone on while the model was thinking.
    work.isStale = true;
    return null;
  }
  return lastWords(work, reply);
}

/** Who was asked to go on and has nothing to add means it. */
async function lastWords(work: Work, reply: ModelReply): Promise<AgentOutcome> {
  const { task, model, world, system, conversation } = work;
  if (reply.end === 'length') return giveUp(task, 'The model wrote more than one answer may have, twice.', []);
  if (reply.text.trim() === '') return giveUp(task, 'The model gave no answer.', []);
  const messages = [...conversation.messages([]), { role: 'model', reply } as const];
  return work.parts.finish({ text: reply.text }, { task, model, world, system, messages });
}

function refusal({ text }: ModelReply): string {
  const words = text.trim();
  return words === '' ? 'The model refused to work on the task.' : `The model refused to work on the task: ${words}`;
}
