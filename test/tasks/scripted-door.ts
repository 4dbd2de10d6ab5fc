import type { JsonObject } from '#domain/json.ts';
import type { ModelDoor, ModelMessage, ModelReply, ToolCall } from '#backend/agent/model/model-call.ts';
import { Hand, type Script, type Wish } from './hand.ts';

const noUsage = { inputTokens: 0, outputTokens: 0 };

/**
 * A model that follows a script: what it is shown goes to the script, what the script wants becomes the call of a tool. A script that
 * does not find what it looks for gives up and says what it looked for.
 */
export function scriptedDoor(script: Script, origin: string): ModelDoor {
  const hand = new Hand();
  const steps = script(hand, origin);
  let count = 0;
  const replyOf = (wish: Wish): ModelReply => {
    const call: ToolCall = { id: `call-${(count += 1)}`, name: wish.name, input: wish.input };
    return { text: '', toolCalls: [call], end: 'tools', usage: noUsage, replay: null };
  };
  return {
    seesImages: false,
    hasNativeOutput: false,
    async call({ messages }) {
      hand.seen = textOf(messages.at(-1));
      return { ok: true, reply: replyOf(next(steps)) };
    },
  };
}

/** What the script wants next; its end is the end of the task. */
function next(steps: ReturnType<Script>): Wish {
  try {
    const { value } = steps.next();
    return 'name' in value ? value : finish(true, value.text, value.output);
  } catch (error) {
    return finish(false, String(error));
  }
}

function finish(success: boolean, text: string, output?: unknown): Wish {
  const input: JsonObject = { success, text, ...(output === undefined ? {} : { output: JSON.stringify(output) }) };
  return { name: 'finish', input };
}

function textOf(message: ModelMessage | undefined): string {
  if (message === undefined || message.role === 'model') return '';
  const parts = message.role === 'user' ? message.parts : message.results.flatMap((result) => result.parts);
  return parts.flatMap((part) => (part.kind === 'text' ? [part.text] : [])).join('\n');
}
