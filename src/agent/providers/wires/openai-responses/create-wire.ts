import { loadOptional } from '#contract/load-optional.ts';
import type { Wire, WireTarget, Reading } from '../wire.ts';
import { toRequest } from './to-request.ts';
import type { JsonObject } from '#lib/json.ts';
import type { ModelReply, ToolCall } from '../../../model/model-call.ts';
import { errorWords } from '../../call/error-words.ts';
import { countOf, objectOf, objectsOf, textOf } from '../shared/json-values.ts';
import { parseArguments } from '../shared/parse-arguments.ts';
import { usageOf } from '../shared/usage-of.ts';

/** The Responses wire. Variables of the environment that its client would read otherwise have no say. */
export async function createWire(target: WireTarget): Promise<Wire> {
  const { OpenAI } = await loadOptional('openai', () => import('openai'));
  const { apiKey, baseUrl: baseURL } = target;
  const settings = { apiKey, baseURL, organization: null, project: null, maxRetries: 0, logLevel: 'off' } as const;
  return {
    async send(request, fetch) {
      await new OpenAI({ ...settings, fetch }).responses.create(toRequest(request, target));
    },
    read: readAnswer,
  };
}

/** Reads an answer of the Responses wire. Reasoning counts among its output tokens. */
function readAnswer(answer: JsonObject): Reading {
  const figures = objectOf(answer['usage']);
  const usage = usageOf([countOf(figures['input_tokens'])], [countOf(figures['output_tokens'])]);
  if (answer['status'] === 'failed')
    return { ok: false, kind: /rate_limit/.test(errorWords(answer)) ? 'rate-limited' : 'overloaded', usage };
  const items = objectsOf(answer['output']);
  const contents = items.filter(({ type }) => type === 'message').flatMap(({ content }) => objectsOf(content));
  const toolCalls = items.filter(({ type }) => type === 'function_call').map(callOf);
  const refusals = contents.filter(({ type }) => type === 'refusal');
  const text = contents.map((content) => textOf(content['text'])).join('');
  const end = endOf(answer, { isRefusal: refusals.length > 0, callsTools: toolCalls.length > 0 });
  if (items.length === 0 && end === 'done') return { ok: false, kind: 'garbled', usage };
  const said = text === '' ? refusals.map(({ refusal }) => textOf(refusal)).join('') : text;
  return { ok: true, reply: { text: said, toolCalls, end, replay: items.filter(isReplayed) }, usage };
}

function callOf(item: JsonObject): ToolCall {
  return { id: textOf(item['call_id']), name: textOf(item['name']), input: parseArguments(textOf(item['arguments'])) };
}

/** Of what is not stored, reasoning can be seen again only where it goes along encrypted. */
function isReplayed({ type, encrypted_content: sealed }: JsonObject): boolean {
  return type === 'message' || type === 'function_call' || (type === 'reasoning' && typeof sealed === 'string');
}

function endOf(
  answer: JsonObject,
  { isRefusal, callsTools }: { readonly isRefusal: boolean; readonly callsTools: boolean },
): ModelReply['end'] {
  const { reason } = objectOf(answer['incomplete_details']);
  if (isRefusal || reason === 'content_filter') return 'refused';
  if (answer['status'] === 'incomplete') return 'length';
  return callsTools ? 'tools' : 'done';
}
