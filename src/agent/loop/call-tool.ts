import { TabError } from '#browsers/tab/tab.ts';
import type { JsonObject } from '#lib/json.ts';
import { FileError } from '../files.ts';
import { IntegrationError } from '../integrations/integration.ts';
import { SkillError } from '../skills/skill.ts';
import { MailError } from '../mailbox.ts';
import type { ModelPart, ToolCall, ToolResult } from '../model/model-call.ts';
import { checkInput, type Tool, type ToolAnswer, type ToolWorld } from './tool.ts';

/** Result of one tool call. */
export interface Called {
  readonly result: ToolResult;
  /** The step to record; null if the call was not executed, or if calls of the tool are no steps. */
  readonly step: { readonly summary: string; readonly action: JsonObject } | null;
}

/** Dependencies of tool calls. */
export interface CallDeps {
  readonly tools: readonly Tool[];
  readonly at: ToolWorld;
  readonly fence: Fence;
}

/** Maximum number of characters of page, file, mail or integration text per result. */
const dataMax = 20_000;

/** Executes a tool call. Invalid input and failures become results. Rejects with the signal's reason, or for a bug. */
export async function callTool(call: ToolCall, { tools, at, fence }: CallDeps): Promise<Called> {
  const tool = tools.find(({ name }) => name === call.name);
  if (tool === undefined)
    return refused(call, `There is no tool "${call.name}". There are: ${getNames(tools)}, finish.`);
  if (call.input === null) return refused(call, 'The arguments were no JSON object. Give them as one.');
  const faults = checkInput(tool.parameters, call.input);
  if (faults.length > 0) return refused(call, `Nothing was done: ${faults.join('; ')}.`);
  return perform(tool, call, { input: call.input, at, fence });
}

interface Performing {
  readonly input: JsonObject;
  readonly at: ToolWorld;
  readonly fence: Fence;
}

async function perform(tool: Tool, call: ToolCall, { input, at, fence }: Performing): Promise<Called> {
  const summary = tool.summary(input, at);
  const action = { kind: tool.name, ...input };
  const asStep = (words: string): Called['step'] => (tool.isStep ? { summary: oneLine(words), action } : null);
  try {
    const answer = await tool.run(input, at);
    return {
      result: { callId: call.id, name: call.name, parts: getParts(answer, fence), isError: false },
      step: asStep(summary),
    };
  } catch (error) {
    if (!isExpected(error)) throw error;
    // The message of an error can contain text of the page.
    const parts = getParts({ text: 'It did not work:', data: error.message }, fence);
    return {
      result: { callId: call.id, name: call.name, parts, isError: true },
      step: asStep(`Did not work: ${summary}`),
    };
  }
}

/** Returns whether an error is meant for the model; any other error is a bug. */
function isExpected(error: unknown): error is Error {
  return [TabError, FileError, MailError, SkillError, IntegrationError].some((kind) => error instanceof kind);
}

/** Returns the result of a call that was not executed; `words` tells the model why. */
export function refused({ id, name }: ToolCall, words: string): Called {
  return { result: { callId: id, name, parts: [{ kind: 'text', text: words }], isError: true }, step: null };
}

function getParts({ text, data, picture }: ToolAnswer, fence: Fence): ModelPart[] {
  const shown = data === undefined ? text : `${text}\n${fence(cut(data))}`;
  const image: ModelPart[] = picture === undefined ? [] : [{ kind: 'image', mediaType: 'image/jpeg', bytes: picture }];
  return [{ kind: 'text', text: shown }, ...image];
}

function cut(data: string): string {
  if (data.length <= dataMax) return data;
  return `${data.slice(0, dataMax)}\n(cut: the first ${dataMax} of ${data.length} characters)`;
}

function getNames(tools: readonly Tool[]): string {
  return tools.map(({ name }) => name).join(', ');
}

/** Reduces a summary to one line of at most 300 characters. */
function oneLine(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length <= 300 ? line : `${line.slice(0, 299)}…`;
}

/**
 * Encloses untrusted text of pages, files, mails and integrations between two lines with a secret marker. The model
 * can thus distinguish it from instructions.
 */
export type Fence = (data: string) => string;

/**
 * Creates the function that encloses untrusted text of one task between two lines with the nonce. The nonce must be
 * unguessable.
 */
export function createFence(nonce: string): Fence {
  return (data) => `[data ${nonce}]\n${data.replaceAll(nonce, '…')}\n[end of data ${nonce}]`;
}
