import type { ModelMessage, ModelPart, ModelReply, ToolResult } from '../model/model-call.ts';

/** One turn: a reply of the model, and the tool results or the message that answer it. */
export interface Turn {
  readonly reply: ModelReply;
  /** Results of the reply's tool calls in order, or the message to the model after a reply without calls. */
  readonly answer: { readonly results: readonly ToolResult[] } | { readonly said: string };
  /**
   * Summaries of the steps of the turn, one line each. They replace the turn in the prompt when the turn is omitted.
   */
  readonly summaries: readonly string[];
}

/** The conversation that a model receives, limited in size. */
export interface Conversation {
  add(turn: Turn): void;
  /** Returns the messages, with the observation in the last message. */
  messages(observation: readonly ModelPart[]): ModelMessage[];
}

/** Limits of a conversation. */
export interface ConversationBounds {
  /**
   * Maximum number of characters of all turns in the prompt together. Above this maximum, summaries replace the oldest
   * turns; the last turn always stays.
   */
  readonly kept: number;
  /** Maximum number of characters that are kept of each text in the tool results of an earlier turn. */
  readonly oldAnswer: number;
  /** Maximum number of lines with summaries of omitted turns; older lines are only counted. */
  readonly doneLines: number;
}

/** Default limits of a conversation. They leave room for the page in the smallest common context window. */
export const conversationBounds: ConversationBounds = { kept: 60_000, oldAnswer: 4_000, doneLines: 100 };

/** Limits of the conversation of a task in flash mode. */
export const flashBounds: ConversationBounds = { kept: 15_000, oldAnswer: 1_000, doneLines: 30 };

/** Creates a conversation that begins with the current text of `intro`. */
export function createConversation(intro: () => string, bounds: ConversationBounds): Conversation {
  let kept: Turn[] = [];
  let done: string[] = [];
  let forgotten = 0;
  const fold = (): void => {
    // Reduced to half of the limit, so that the beginning stays equal for several turns: providers cache an equal
    // beginning and charge less for it.
    while (kept.length > 1 && getSize(kept) > bounds.kept / 2) done.push(...(kept.shift()?.summaries ?? []));
    forgotten += Math.max(0, done.length - bounds.doneLines);
    done = done.slice(-bounds.doneLines);
  };
  return {
    add(turn) {
      kept = [...kept.map((one) => shortened(one, bounds.oldAnswer)), turn];
      if (getSize(kept) > bounds.kept) fold();
    },
    messages(observation) {
      const first: ModelMessage = { role: 'user', parts: [text(intro() + doneText(done, forgotten))] };
      const turns = kept.flatMap(({ reply, answer }): ModelMessage[] => [{ role: 'model', reply }, getAnswer(answer)]);
      return withObservation([first, ...turns], observation);
    },
  };
}

function doneText(done: readonly string[], forgotten: number): string {
  if (done.length === 0) return '';
  const before = forgotten === 0 ? '' : `(${forgotten} steps before these are left out)\n`;
  return `\n\nWhat was done so far, oldest first; what was read then is not shown any more:\n${before}${done.join('\n')}`;
}

function getAnswer(answer: Turn['answer']): ModelMessage {
  if ('said' in answer) return { role: 'user', parts: [text(answer.said)] };
  return { role: 'tools', results: answer.results };
}

/** Adds the observation to the last message, because providers expect results directly after calls. */
function withObservation(messages: readonly ModelMessage[], observation: readonly ModelPart[]): ModelMessage[] {
  const last = messages.at(-1);
  const before = messages.slice(0, -1);
  if (last === undefined || last.role === 'model') return [...messages];
  if (last.role === 'user') return [...before, { role: 'user', parts: [...last.parts, ...observation] }];
  const results = last.results.map((result, index) =>
    index === last.results.length - 1 ? { ...result, parts: [...result.parts, ...observation] } : result,
  );
  return [...before, { role: 'tools', results }];
}

function getSize(turns: readonly Turn[]): number {
  return turns.reduce((sum, { reply, answer }) => sum + JSON.stringify(reply).length + answerSize(answer), 0);
}

function answerSize(answer: Turn['answer']): number {
  if ('said' in answer) return answer.said.length;
  const parts = answer.results.flatMap((result) => result.parts);
  return parts.reduce((sum, part) => sum + (part.kind === 'text' ? part.text.length : 0), 0);
}

/** Returns an earlier turn without its pictures, and with each text of its tool results cut to `max` characters. */
function shortened(turn: Turn, max: number): Turn {
  if ('said' in turn.answer) return turn;
  const results = turn.answer.results.map((result) => ({
    ...result,
    parts: result.parts.map((part) => older(part, max)),
  }));
  return { ...turn, answer: { results } };
}

function older(part: ModelPart, max: number): ModelPart {
  if (part.kind === 'image') return text('(a picture, not shown any more)');
  if (part.text.length <= max) return part;
  // The last line closes the fence around page text.
  return text(
    `${part.text.slice(0, max)}\n(the rest is not shown any more)\n${part.text.split('\n').at(-1)?.slice(-100) ?? ''}`,
  );
}

function text(given: string): ModelPart {
  return { kind: 'text', text: given };
}
