import type { Agent, AgentOutcome } from '../agent.ts';
import { giveUp } from '../answer/finish.ts';
import { observe, type Observation } from './observe.ts';
import type { ModelAgentDeps } from './options.ts';
import { beginWork, type Work } from './work.ts';
import type { ModelAnswer, ModelPart, ModelRequest, ModelReply } from '../model/model-call.ts';
import { answerCalls, finishTool } from './answer-calls.ts';

/**
 * Creates an agent that works with the model of its world: it observes the page, asks the model, executes the reply,
 * and repeats. Failures of the model or a page become an outcome. Rejects with the signal's reason once the task is
 * aborted.
 */
export function createModelAgent(deps: ModelAgentDeps): Agent {
  return {
    async run(task, world) {
      world.signal.throwIfAborted();
      const work = beginWork(task, world, deps);
      let outcome: AgentOutcome | null = null;
      while (outcome === null) outcome = await takeTurn(work);
      return outcome;
    },
  };
}

/** Runs one turn: observes, asks and acts. Returns the outcome of the task, or null while it continues. */
async function takeTurn(work: Work): Promise<AgentOutcome | null> {
  const end = work.progress.end();
  if (end !== null) return giveUp(work.task, end, []);
  if (work.isStale) work.seen = await observe(work.world, work.sight);
  work.isStale = false;
  const answer = await askModel(work, work.seen);
  if (!answer.ok) return giveUp(work.task, `The model could not be asked: ${answer.failure.message}`, []);
  return answerReply(work, answer.reply);
}

/** Sends the state of the task to the model and returns its reply. Rejects with the signal's reason. */
async function askModel(work: Work, observation: Observation): Promise<ModelAnswer> {
  const request = getRequest(work, observation);
  const answer = await work.model.call(request);
  work.progress.addCall(answer.ok ? answer.reply.usage : answer.usage);
  return answer;
}

function getRequest(work: Work, observation: Observation): ModelRequest {
  const hasSteps = work.progress.stepsLeft() > 0;
  const tools = hasSteps ? work.calls.tools : [];
  const last = hasSteps ? '' : '\nNo steps are left: call finish now, and say honestly whether the goal is reached.';
  return {
    system: work.system,
    messages: work.conversation.messages(shown(work, observation, last)),
    tools: [
      ...tools.map(({ name, description, parameters }) => ({ name, description, parameters })),
      finishTool(work.task),
    ],
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

const GO_ON = 'You called no tool. Go on with the task by calling one; when it is done or cannot be done, call finish.';

const SHORTER = 'Your answer was too long and was cut off. Answer with one call of a tool and few words.';

/** Executes a reply or explains why it is not executed. Returns the outcome of the task, or null while it continues. */
async function answerReply(work: Work, reply: ModelReply): Promise<AgentOutcome | null> {
  if (reply.end === 'refused') return giveUp(work.task, refusal(reply), []);
  if (reply.toolCalls.length > 0) {
    work.wordsOnly = 0;
    return answerCalls(work, reply);
  }
  work.wordsOnly += 1;
  if (work.wordsOnly === 1) {
    const said = reply.end === 'length' ? SHORTER : GO_ON;
    work.conversation.add({ reply, answer: { said }, summaries: [] });
    // The page may have changed while the model replied.
    work.isStale = true;
    return null;
  }
  return lastWords(work, reply);
}

/** Ends the task at the second reply without tool calls. */
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
