import { loadOptional } from '#contract/load-optional.ts';
import type { Wire, WireTarget, Reading } from '../wire.ts';
import { toRequest } from './to-request.ts';
import { isJsonObject, type JsonObject } from '#lib/json.ts';
import type { ModelReply } from '../../../model/model-call.ts';
import { countOf, objectOf, objectsOf, pick, textOf } from '../shared/json-values.ts';
import { usageOf } from '../shared/usage-of.ts';

/** The Messages wire. Variables of the environment that its client would read otherwise have no say. */
export async function createWire(target: WireTarget): Promise<Wire> {
  const { Anthropic } = await loadOptional('anthropic', () => import('@anthropic-ai/sdk'));
  const { apiKey, baseUrl: baseURL } = target;
  const settings = { apiKey, baseURL, authToken: null, maxRetries: 0, logLevel: 'off' } as const;
  return {
    async send(request, fetch) {
      const client = new Anthropic({ ...settings, fetch, timeout: longerThanAnyMs });
      // `messages.create` does the same, and writes to the terminal of the service that a model is old.
      await client.post('/v1/messages', { body: toRequest(request, target) });
    },
    read: readAnswer,
  };
}

/** The exchange's own time is shorter. */
const longerThanAnyMs = 600_000;

/** What of a block the provider wants to see again, by its type; other blocks stay behind. */
const replayedMembers: Readonly<Record<string, readonly string[]>> = {
  text: ['type', 'text'],
  tool_use: ['type', 'id', 'name', 'input'],
  thinking: ['type', 'thinking', 'signature'],
  redacted_thinking: ['type', 'data'],
};

const ends: Readonly<Record<string, ModelReply['end']>> = {
  tool_use: 'tools',
  max_tokens: 'length',
  model_context_window_exceeded: 'length',
  refusal: 'refused',
};

/** Reads an answer of the Messages wire. Thinking counts among its output tokens, cached input apart from the rest. */
function readAnswer(answer: JsonObject): Reading {
  const figures = objectOf(answer['usage']);
  const cached = ['cache_creation_input_tokens', 'cache_read_input_tokens'].map((member) =>
    countOf(figures[member] ?? 0),
  );
  const usage = usageOf([countOf(figures['input_tokens']), ...cached], [countOf(figures['output_tokens'])]);
  if (!Array.isArray(answer['content'])) return { ok: false, kind: 'garbled', usage };
  const blocks = objectsOf(answer['content']);
  const toolCalls = blocks
    .filter(({ type }) => type === 'tool_use')
    .map(({ id, name, input }) => ({ id: textOf(id), name: textOf(name), input: isJsonObject(input) ? input : null }));
  const text = blocks
    .filter(({ type }) => type === 'text')
    .map((block) => textOf(block['text']))
    .join('');
  const end = ends[textOf(answer['stop_reason'])] ?? (toolCalls.length > 0 ? 'tools' : 'done');
  return { ok: true, reply: { text, toolCalls, end, replay: blocks.flatMap(replayOf) }, usage };
}

function replayOf(block: JsonObject): readonly JsonObject[] {
  const type = textOf(block['type']);
  const members = replayedMembers[type];
  // A block of empty text is answered so by some models and taken back by none.
  if (members === undefined || (type === 'text' && block['text'] === '')) return [];
  const kept = pick(block, members);
  return [type === 'tool_use' ? { ...kept, input: objectOf(kept['input']) } : kept];
}
