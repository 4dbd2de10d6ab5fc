import type { ModelAnswer, ModelProviders, ModelRequest, ToolCall } from '#agent/model/model-call.ts';

/** Model whose tasks run in the agent loop. Tasks with another model use the offline planner. */
export const loopModel = 'claude-opus-5';

/**
 * Script of an agent loop: tool calls in order. An input `<ref:Name>` stands for the element with this name in the
 * page.
 */
export interface LoopScript {
  readonly run: string;
  readonly calls: readonly { readonly name: string; readonly input: Record<string, string | number> }[];
  /** Response time of the provider in milliseconds. */
  readonly thinkMs: number;
}

/**
 * Creates model providers that offer only `loopModel`. The responses follow the script in the task. Each call is also
 * sent to the traced web server at `origin`, so that the server records the call.
 */
export function createTracedModels(origin: string): ModelProviders {
  return {
    routes: new Map(),
    clientFor: async ({ model }) => {
      if (model !== loopModel) return null;
      return {
        seesImages: false,
        hasNativeOutput: false,
        async call(request, signal) {
          const shown = shownText(request);
          const script = readScript(shown);
          if (script === null) return silent;
          const answered = await fetch(`${origin}/${script.run}/think?ms=${script.thinkMs}`, { signal });
          await answered.text();
          return next(script, request, shown);
        },
      };
    },
  };
}

const usage = { inputTokens: 20, outputTokens: 10 };
const silent: ModelAnswer = { ok: false, failure: { kind: 'overloaded', message: 'No opinion.' }, usage };

function shownText({ messages }: ModelRequest): string {
  return messages.map((message) => (message.role === 'user' ? getText(message.parts) : '')).join('\n');
}

function getText(parts: readonly { readonly kind: string; readonly text?: string }[]): string {
  return parts.map(({ text = '' }) => text).join('\n');
}

/** Returns the text of a task that contains a script. */
export function scriptGoal(script: LoopScript): string {
  return `SCRIPT ${Buffer.from(JSON.stringify(script)).toString('base64url')} END`;
}

/**
 * Returns the script of the current task; null for a task without a script. The text also contains earlier tasks of the
 * session, whose scripts are ignored.
 */
function readScript(text: string): LoopScript | null {
  const found = /The task:\nSCRIPT ([\w-]+) END/.exec(text)?.[1];
  return found === undefined ? null : JSON.parse(Buffer.from(found, 'base64url').toString());
}

/**
 * Returns the next call of the script, or `finish` after the last call. An input `<ref:Name>` becomes the reference of
 * the element `Name` in the page; `e1` if the page has no such element.
 */
function next({ calls }: LoopScript, { messages }: ModelRequest, shown: string): ModelAnswer {
  const turn = messages.filter(({ role }) => role === 'model').length;
  const latest = messages.map((message) => JSON.stringify(message)).join('\n') + shown;
  const call = calls[turn] ?? { name: 'finish', input: { success: 'yes', text: 'done' } };
  const input = Object.fromEntries(
    Object.entries(call.input).map(([name, value]) => [name, typeof value === 'string' ? named(value, latest) : value]),
  );
  const given = call.name === 'finish' ? { success: true, text: 'done' } : input;
  const toolCall: ToolCall = { id: `call-${turn}`, name: call.name, input: given };
  return { ok: true, reply: { text: '', toolCalls: [toolCall], end: 'tools', usage, replay: null } };
}

function named(value: string, shown: string): string {
  const name = /^<ref:(\w+)>$/.exec(value)?.[1];
  if (name === undefined) return value;
  const found = [...shown.matchAll(new RegExp(`${name}[^\\n]{0,40}?\\[ref=(\\w+)\\]`, 'g'))].at(-1)?.[1];
  return found ?? 'e1';
}
