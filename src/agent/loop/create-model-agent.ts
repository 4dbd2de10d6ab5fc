import type { Agent, AgentOutcome, AgentTask } from '../agent.ts';
import { giveUp } from '../answer/finish.ts';
import { observe, type Observation } from './observe.ts';
import type { ModelAgentDeps, Finished } from './options.ts';
import { beginWork, type Work } from './work.ts';
import type {
  ModelAnswer,
  ModelPart,
  ModelRequest,
  ModelReply,
  ToolCall,
  ToolDefinition,
  ToolResult,
} from '../model/model-call.ts';
import { TabError } from '#browsers/tab/tab.ts';
import type { JsonObject } from '#lib/json.ts';
import { type Called, callTool, refused } from './call-tool.ts';
import { checkInput, flagIn, toolParameters, requiredText, textIn, textsIn } from './tool.ts';

/**
 * Creates an agent that works with the model of its world: it observes the page, asks the model, executes the reply,
 * and repeats. A failure of the model ends the task with a failure; a failure of a page is reported to the model.
 * Rejects with the signal's reason once the task is aborted.
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

/**
 * Runs one turn: observes the page, asks the model and executes its reply. Returns the outcome of the task, or null
 * while it continues.
 */
async function takeTurn(work: Work): Promise<AgentOutcome | null> {
  const end = work.progress.end();
  if (end !== null) return giveUp(work.task, end, []);
  if (work.isStale) work.seen = await observe(work.world, work.sight);
  work.isStale = false;
  const answer = await askModel(work, work.seen);
  if (!answer.ok) return giveUp(work.task, `The model could not be asked: ${answer.failure.message}`, []);
  return answerReply(work, answer.reply);
}

/**
 * Sends the state of the task to the model. Returns the reply or the failure of the model. Rejects with the signal's
 * reason.
 */
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

const goOn = 'You called no tool. Go on with the task by calling one; when it is done or cannot be done, call finish.';

const shorter = 'Your answer was too long and was cut off. Answer with one call of a tool and few words.';

/**
 * Executes the tool calls of a reply. After a reply without calls, asks the model for a call. Ends the task after a
 * second consecutive reply without calls, and after a refusal. Returns the outcome of the task, or null while it
 * continues.
 */
async function answerReply(work: Work, reply: ModelReply): Promise<AgentOutcome | null> {
  if (reply.end === 'refused') return giveUp(work.task, refusal(reply), []);
  if (reply.toolCalls.length > 0) {
    work.wordsOnly = 0;
    return answerCalls(work, reply);
  }
  work.wordsOnly += 1;
  if (work.wordsOnly === 1) {
    const said = reply.end === 'length' ? shorter : goOn;
    work.conversation.add({ reply, answer: { said }, summaries: [] });
    // The page may have changed while the model replied.
    work.isStale = true;
    return null;
  }
  return lastWords(work, reply);
}

/**
 * Ends the task at the second consecutive reply without tool calls. The text of the reply is the result; the task fails
 * if the text is empty or cut off.
 */
async function lastWords(work: Work, reply: ModelReply): Promise<AgentOutcome> {
  const { task, model, world, system, conversation } = work;
  const noCall = 'The model called no tool in two replies, and the second reply';
  if (reply.end === 'length')
    return giveUp(
      task,
      `${noCall} was cut off at ${work.parts.limits.replyTokens} tokens: split the task, or choose another model.`,
      [],
    );
  if (reply.text.trim() === '') return giveUp(task, `${noCall} has no text: try again, or choose another model.`, []);
  const messages = [...conversation.messages([]), { role: 'model', reply } as const];
  return work.parts.finish({ text: reply.text }, { task, model, world, system, messages });
}

function refusal({ text }: ModelReply): string {
  const words = text.trim();
  return words === '' ? 'The model refused to work on the task.' : `The model refused to work on the task: ${words}`;
}

/** Maximum number of calls per reply. Further calls are skipped, because the page must be observed first. */
const callsMax = 20;
/** Maximum number of characters of the model's text that a step records. */
const saidMax = 500;

const repeated =
  'You have done exactly this three times, and the page is the same. Try something else, or call finish with success false.';

/** Results so far of the execution of a reply's tool calls. */
interface Went {
  readonly results: ToolResult[];
  readonly summaries: string[];
  /** Outcome of the task; null while it continues. */
  outcome: AgentOutcome | null;
  /** Arguments of the accepted finish call; null before this call. */
  finished: Finished | null;
  /** Tasks that the finish call suggests. */
  suggestions: readonly string[];
}

/**
 * Executes the calls of a reply in order and adds their results to the conversation. Returns the outcome of the task,
 * or null while the task continues.
 */
async function answerCalls(work: Work, reply: ModelReply): Promise<AgentOutcome | null> {
  const went: Went = { results: [], summaries: [], outcome: null, finished: null, suggestions: [] };
  for (const [index, call] of reply.toolCalls.entries()) {
    const called = await answerCall(work, call, { went, index, said: reply.text });
    if (went.outcome !== null) return went.outcome;
    went.results.push(called.result);
  }
  work.conversation.add({ reply, answer: { results: went.results }, summaries: went.summaries });
  if (went.finished === null) return null;
  const { task, model, world, system } = work;
  const finishing = { task, model, world, system, messages: work.conversation.messages([]) };
  const outcome = await work.parts.finish(went.finished, finishing);
  return went.suggestions.length === 0 ? outcome : { ...outcome, suggestions: went.suggestions };
}

interface Place {
  readonly went: Went;
  readonly index: number;
  readonly said: string;
}

async function answerCall(work: Work, call: ToolCall, { went, index, said }: Place): Promise<Called> {
  if (went.finished !== null) return refused(call, 'The task is finished.');
  if (index >= callsMax) return refused(call, `Not done: one turn may have ${callsMax} calls.`);
  if (call.name === finishName) return finish(work, call, went);
  if (work.progress.stepsLeft() <= 0) {
    went.outcome = giveUp(work.task, work.progress.usedUp(), []);
    return refused(call, work.progress.usedUp());
  }
  const verdict = work.repeats.note(`${call.name} ${JSON.stringify(call.input)}`, work.seen.outline);
  if (verdict === 'stop') {
    went.outcome = giveUp(work.task, `I did the same again and again without effect (${call.name}), and gave up.`, []);
    return refused(call, repeated);
  }
  const called = await callTool(call, work.calls);
  if (called.step !== null) await book(work, called.step, { went, said: index === 0 ? said : '' });
  return verdict === 'warn' ? warned(called) : called;
}

function warned(called: Called): Called {
  const parts = [...called.result.parts, { kind: 'text', text: repeated } as const];
  return { ...called, result: { ...called.result, parts } };
}

/**
 * Handles a call of the finish tool. A call with `success` false gives up the task; a call with `success` true
 * completes it. Refuses invalid input, and success when an earlier call of the same reply failed, because the model has
 * not seen that failure.
 */
function finish(work: Work, call: ToolCall, went: Went): Called {
  const { input } = call;
  const faults =
    input === null ? ['the arguments must be a JSON object'] : checkInput(finishTool(work.task).parameters, input);
  if (input === null || faults.length > 0) return refused(call, `The task is not finished: ${faults.join('; ')}.`);
  if (!flagIn(input, 'success')) {
    const reason = requiredText(input, 'text').trim();
    went.outcome = giveUp(work.task, reason === '' ? 'The model gave up without a reason.' : reason, []);
    return refused(call, 'Given up.');
  }
  if (went.results.some(({ isError }) => isError))
    return refused(call, 'The task is not finished: a call before this one did not work. Look at the page first.');
  // Without an output schema the text is returned, also when the model provided a value.
  const output = work.task.outputSchema === null ? undefined : textIn(input, 'output');
  went.finished = { text: requiredText(input, 'text'), ...(output === undefined ? {} : { output }) };
  went.suggestions = textsIn(input, 'suggestions').slice(0, suggestionsMax);
  return {
    result: { callId: call.id, name: call.name, parts: [{ kind: 'text', text: 'Taken.' }], isError: false },
    step: null,
  };
}

interface Booking {
  readonly went: Went;
  readonly said: string;
}

async function book(
  work: Work,
  { summary, action }: NonNullable<Called['step']>,
  { went, said }: Booking,
): Promise<void> {
  work.isStale = true;
  const url = await getAddress(work);
  const data: JsonObject = said.trim() === '' ? action : { ...action, said: said.trim().slice(0, saidMax) };
  await work.world.step({ summary, action: data, url, usage: work.progress.addStep() });
  went.summaries.push(`- ${summary} (${url.slice(0, 200)})`);
}

/** Returns the URL of the tab; for a page that does not respond, the last observed URL. */
async function getAddress({ world, seen }: Work): Promise<string> {
  try {
    return await (await world.tab()).url();
  } catch (error) {
    if (error instanceof TabError) return seen.url;
    throw error;
  }
}

const finishName = 'finish';

/** Maximum number of suggested tasks. */
const suggestionsMax = 3;

/** Returns the tool that ends a task; the loop handles its call. */
function finishTool({ settings }: Pick<AgentTask, 'settings'>): ToolDefinition & { parameters: JsonObject } {
  const suggestions: JsonObject = {
    type: 'array',
    items: { type: 'string' },
    description: `Up to ${suggestionsMax} further tasks that would help the user now, if any.`,
  };
  return {
    name: finishName,
    description:
      'Ends the task. success is true only when you have seen that the goal is reached; false when it cannot be, then text says why. text is the answer for the user that gave the task. output is the result as JSON text where the task asks for structured output.',
    parameters: toolParameters(
      {
        success: { type: 'boolean' },
        text: { type: 'string' },
        output: { type: 'string' },
        ...(settings?.suggests === true ? { suggestions } : {}),
      },
      ['output', 'suggestions'],
    ),
  };
}
