import type { JsonObject } from '#lib/json.ts';
import type { ModelAnswer, MeteredModel, ModelMessage, ModelReply, ModelRequest } from '../../model/model-call.ts';

/** What a script has its model say in one turn. */
export interface ScriptedTurn {
  /** @defaultValue nothing */
  readonly text?: string;
  /** Calls of tools, in their order; @defaultValue none */
  readonly calls?: readonly { readonly name: string; readonly input: JsonObject | null }[];
  /** @defaultValue `tools` where there are calls, else `done` */
  readonly end?: ModelReply['end'];
}

/** What a scripted model sees of a request. */
export interface ScriptedView {
  readonly request: ModelRequest;
  /** Turns before this one. */
  readonly turn: number;
  /** What the latest message says: what came of the calls before, and the page as it is now. */
  readonly latest: string;
  /**
   * The reference of the element that the page's outline shows as `button "Buy"`: a kind, and a part of the name or text behind it.
   * Throws when there is none, with what there is.
   */
  readonly ref: (kind: string, name: string) => string;
}

/** Decides a turn; a failure of the model is an answer as well. */
export type Script = (view: ScriptedView) => ScriptedTurn | ModelAnswer | Promise<ScriptedTurn | ModelAnswer>;

/** A model of a test: it says what its script decides, and keeps what it was asked. */
export interface ScriptedModel extends MeteredModel {
  readonly requests: readonly ModelRequest[];
}

/** How a scripted model is. */
export interface ScriptedModelOptions {
  /** @defaultValue false */
  readonly seesImages?: boolean;
}

/** One call of a tool as a whole turn. */
export function call(name: string, input: JsonObject = {}): ScriptedTurn {
  return { calls: [{ name, input }] };
}

/** The turn that ends a task with success. */
export function finish(text: string, output?: string): ScriptedTurn {
  return call('finish', { success: true, text, ...(output === undefined ? {} : { output }) });
}

/** A model that does what its script says, for ten input tokens and five output tokens a turn. */
export function scriptedModel(script: Script, { seesImages = false }: ScriptedModelOptions = {}): ScriptedModel {
  const requests: ModelRequest[] = [];
  return {
    requests,
    seesImages,
    hasNativeOutput: false,
    async call(request) {
      const turn = requests.push(request) - 1;
      const said = await script(viewOf(request, turn));
      return 'ok' in said ? said : { ok: true, reply: replyOf(said, turn) };
    },
  };
}

/** A script of turns one after the other, each made when it comes to it; finishes by itself behind the last. */
export function inTurns(...turns: readonly ((view: ScriptedView) => ScriptedTurn)[]): Script {
  return (view) => turns[view.turn]?.(view) ?? finish('done');
}

function replyOf({ text = '', calls = [], end }: ScriptedTurn, turn: number): ModelReply {
  return {
    text,
    toolCalls: calls.map(({ name, input }, index) => ({ id: `call-${turn}-${index}`, name, input })),
    end: end ?? (calls.length > 0 ? 'tools' : 'done'),
    usage: { inputTokens: 10, outputTokens: 5 },
    replay: null,
  };
}

function viewOf(request: ModelRequest, turn: number): ScriptedView {
  const last = request.messages.at(-1);
  const latest = last === undefined ? '' : textOf(last);
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

/** What a message says in words. */
function textOf(message: ModelMessage): string {
  if (message.role === 'model') return message.reply.text;
  const parts = message.role === 'user' ? message.parts : message.results.flatMap((result) => result.parts);
  return parts.map((part) => (part.kind === 'text' ? part.text : '(picture)')).join('\n');
}
