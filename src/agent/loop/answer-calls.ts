import { TabError } from '#browsers/tab/tab.ts';
import type { JsonObject } from '#lib/json.ts';
import type { AgentOutcome, AgentTask } from '../agent.ts';
import { giveUp } from '../answer/finish.ts';
import type { ModelReply, ToolCall, ToolDefinition, ToolResult } from '../model/model-call.ts';
import { type Called, callTool, refused } from './call-tool.ts';
import type { Finished } from './options.ts';
import { checkInput, flagIn, toolParameters, requiredText, textIn, textsIn } from './tool.ts';
import type { Work } from './work.ts';

/** Maximum number of calls per reply. Further calls are skipped, because the page must be observed first. */
const CALLS_MAX = 20;
/** Maximum number of characters of the model's text that a step records. */
const SAID_MAX = 500;

const REPEATED =
  'You have done exactly this three times, and the page is the same. Try something else, or call finish with success false.';

/** Results of the calls of a reply. */
interface Went {
  readonly results: ToolResult[];
  readonly summaries: string[];
  /** Outcome of the task; null while it continues. */
  outcome: AgentOutcome | null;
  /** Arguments of the finish call; null before it. */
  finished: Finished | null;
  /** Tasks that the finish call suggests. */
  suggestions: readonly string[];
}

/**
 * Executes the calls of a reply in order and gives the results to the model. Returns the outcome of the task, or null
 * while it continues.
 */
export async function answerCalls(work: Work, reply: ModelReply): Promise<AgentOutcome | null> {
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
  if (index >= CALLS_MAX) return refused(call, `Not done: one turn may have ${CALLS_MAX} calls.`);
  if (call.name === FINISH) return finish(work, call, went);
  if (work.progress.stepsLeft() <= 0) {
    went.outcome = giveUp(work.task, work.progress.usedUp(), []);
    return refused(call, work.progress.usedUp());
  }
  const verdict = work.repeats.note(`${call.name} ${JSON.stringify(call.input)}`, work.seen.outline);
  if (verdict === 'stop') {
    went.outcome = giveUp(work.task, `I did the same again and again without effect (${call.name}), and gave up.`, []);
    return refused(call, REPEATED);
  }
  const called = await callTool(call, work.calls);
  if (called.step !== null) await book(work, called.step, { went, said: index === 0 ? said : '' });
  return verdict === 'warn' ? warned(called) : called;
}

function warned(called: Called): Called {
  const parts = [...called.result.parts, { kind: 'text', text: REPEATED } as const];
  return { ...called, result: { ...called.result, parts } };
}

/** Rejects a finish call when an earlier call of the same reply failed, because the model has not seen that failure. */
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
  went.suggestions = textsIn(input, 'suggestions').slice(0, SUGGESTIONS_MAX);
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
  const data: JsonObject = said.trim() === '' ? action : { ...action, said: said.trim().slice(0, SAID_MAX) };
  await work.world.step({ summary, action: data, url, usage: work.progress.addStep() });
  went.summaries.push(`- ${summary} (${url.slice(0, 200)})`);
}

/** Returns the URL of the tab; for a page that does not respond, the last observed one. */
async function getAddress({ world, seen }: Work): Promise<string> {
  try {
    return await (await world.tab()).url();
  } catch (error) {
    if (error instanceof TabError) return seen.url;
    throw error;
  }
}

const FINISH = 'finish';

/** Maximum number of suggested tasks. */
const SUGGESTIONS_MAX = 3;

/** Returns the tool that ends a task; the loop handles its call. */
export function finishTool({ settings }: Pick<AgentTask, 'settings'>): ToolDefinition & { parameters: JsonObject } {
  const suggestions: JsonObject = {
    type: 'array',
    items: { type: 'string' },
    description: `Up to ${SUGGESTIONS_MAX} further tasks that would help the user now, if any.`,
  };
  return {
    name: FINISH,
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
