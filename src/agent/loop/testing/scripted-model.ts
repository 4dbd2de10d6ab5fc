import type { JsonObject } from '#lib/json.ts';
import type { ModelAnswer, MeteredModel, ModelMessage, ModelReply, ModelRequest } from '../../model/model-call.ts';

/** Reply of a scripted model in one turn. */
export interface ScriptedTurn {
  /** Text of the reply. @defaultValue nothing */
  readonly text?: string;
  /** Tool calls in order. @defaultValue none */
  readonly calls?: readonly { readonly name: string; readonly input: JsonObject | null }[];
  /** Reason why the reply ended. @defaultValue `tools` with calls, else `done` */
  readonly end?: ModelReply['end'];
}

/** A request to the scripted model, with helpers for the script. */
export interface ScriptedView {
  readonly request: ModelRequest;
  /** Number of earlier turns. */
  readonly turn: number;
  /** Last message: results of the previous calls, and the current page. */
  readonly latest: string;
  /**
   * Returns the reference of an element such as `button "Buy"`, by its role and a part of its name or text. Throws an
   * error that contains `latest` when no such element exists.
   */
  readonly ref: (kind: string, name: string) => string;
}

/** Function that returns the next turn of the model, or a complete answer of the model such as a failure. */
export type Script = (view: ScriptedView) => ScriptedTurn | ModelAnswer | Promise<ScriptedTurn | ModelAnswer>;

/** A model for tests that follows a script and records its requests. */
export interface ScriptedModel extends MeteredModel {
  readonly requests: readonly ModelRequest[];
}

/** Options of a scripted model. */
export interface ScriptedModelOptions {
  /** Whether the model accepts pictures. @defaultValue false */
  readonly seesImages?: boolean;
}

/** Returns a turn with one tool call. */
export function call(name: string, input: JsonObject = {}): ScriptedTurn {
  return { calls: [{ name, input }] };
}

/** Returns the turn that ends a task with success. */
export function finish(text: string, output?: string): ScriptedTurn {
  return call('finish', { success: true, text, ...(output === undefined ? {} : { output }) });
}

/** Creates a model that follows a script. Each {@link ScriptedTurn} uses ten input tokens and five output tokens. */
export function scriptedModel(script: Script, { seesImages = false }: ScriptedModelOptions = {}): ScriptedModel {
  const requests: ModelRequest[] = [];
  return {
    requests,
    seesImages,
    hasNativeOutput: false,
    async call(request) {
      const turn = requests.push(request) - 1;
      const said = await script(getView(request, turn));
      return 'ok' in said ? said : { ok: true, reply: getReply(said, turn) };
    },
  };
}

/** Returns a script that plays the given turns in order, and then ends the task with success. */
export function inTurns(...turns: readonly ((view: ScriptedView) => ScriptedTurn)[]): Script {
  return (view) => turns[view.turn]?.(view) ?? finish('done');
}

function getReply({ text = '', calls = [], end }: ScriptedTurn, turn: number): ModelReply {
  return {
    text,
    toolCalls: calls.map(({ name, input }, index) => ({ id: `call-${turn}-${index}`, name, input })),
    end: end ?? (calls.length > 0 ? 'tools' : 'done'),
    usage: { inputTokens: 10, outputTokens: 5 },
    replay: null,
  };
}

function getView(request: ModelRequest, turn: number): ScriptedView {
  const last = request.messages.at(-1);
  const latest = last === undefined ? '' : getText(last);
  return {
    request,
    turn,
    latest,
    ref(kind, name) {
      const line = latest.split('\n').find((one) => isElement(one, kind, name));
      const ref = /\[ref=(\w+)\]/.exec(line ?? '')?.[1];
      if (ref === undefined) throw new Error(`the page shows no ${kind} "${name}":\n${latest}`);
      return ref;
    },
  };
}

function isElement(line: string, kind: string, name: string): boolean {
  return new RegExp(`^\\s*- '?${kind}\\b`).test(line) && line.includes('[ref=') && line.includes(name);
}

/** Returns the text of a message. */
function getText(message: ModelMessage): string {
  if (message.role === 'model') return message.reply.text;
  const parts = message.role === 'user' ? message.parts : message.results.flatMap((result) => result.parts);
  return parts.map((part) => (part.kind === 'text' ? part.text : '(picture)')).join('\n');
}
