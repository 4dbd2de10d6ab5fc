import type { RuleBook } from '#contract/rule-book.ts';
import type { JsonObject } from '#lib/json.ts';
import type {
  ModelAnswer,
  ModelClient,
  ModelMessage,
  ModelPart,
  ModelReply,
  ModelRequest,
  ModelUsage,
} from '../model/model-call.ts';
import { createWire as createMessagesWire } from './apis/anthropic-messages.ts';
import { createWire as createChatWire } from './apis/chat-completions.ts';
import { createWire as createGenerateContentWire } from './apis/google-generate-content.ts';
import { createWire as createResponsesWire } from './apis/openai-responses.ts';
import type { ProviderApi, WireTarget } from './apis/provider-api.ts';
import { createExchange } from './exchange.ts';
import { type Fault, silentFault } from './fault.ts';

/** What every call of the service depends on. */
export interface CallSurroundings {
  readonly rules: RuleBook['providers'];
  /** Rejects with the signal's reason when aborted. */
  readonly wait: (ms: number, signal: AbortSignal) => Promise<void>;
  /** At least 0, less than 1. */
  readonly random: () => number;
  /** Milliseconds since the Unix epoch. */
  readonly now: () => number;
  /** Receives every failed attempt, without keys, prompts or URLs. */
  readonly report: (attempt: JsonObject) => void;
}

/** One model as a client is made for it. */
export interface ClientOptions {
  readonly wire: ProviderApi;
  /** For reports. */
  readonly provider: string;
  readonly model: string;
  readonly seesImages: boolean;
  readonly hasNativeOutput: boolean;
  /** The fewest tokens of output that a request may ask for, at least 1. */
  readonly outputTokensMin: number;
}

type Attempt = Extract<ModelAnswer, { readonly ok: true }> | { readonly ok: false; readonly fault: Fault };

const nothing: ModelUsage = { inputTokens: 0, outputTokens: 0 };

/** A client of one model: sends, reads, and tries again what is worth it. Whatever the attempts, one call is one answer with one usage. */
export function createModelClient(options: ClientOptions, surroundings: CallSurroundings): ModelClient {
  const { seesImages, hasNativeOutput, outputTokensMin } = options;
  return {
    seesImages,
    hasNativeOutput,
    outputTokensMin,
    async call(request, signal) {
      if (request.maxOutputTokens < outputTokensMin) return failed(silentFault('bad-request'), surroundings.rules);
      return tryOften({ request, signal, options, surroundings });
    },
  };
}

interface Call {
  readonly request: ModelRequest;
  readonly signal: AbortSignal;
  readonly options: ClientOptions;
  readonly surroundings: CallSurroundings;
}

async function tryOften(call: Call): Promise<ModelAnswer> {
  const { signal, options, surroundings } = call;
  const { rules, wait, random, report } = surroundings;
  for (let attempts = 1; ; attempts += 1) {
    const attempt = await tryOnce(call);
    if (attempt.ok) return attempt;
    const { fault } = attempt;
    const waitMs = waitBefore(rules, { fault, attempts }, random);
    const { provider, model } = options;
    report({ provider, model, kind: fault.kind, status: fault.status, attempt: attempts, waitMs });
    if (waitMs === null) return failed(fault, rules);
    await wait(waitMs, signal);
  }
}

async function tryOnce({ request, signal, options, surroundings }: Call): Promise<Attempt> {
  signal.throwIfAborted();
  const { timeoutMs, answerBytesMax: bytes, answerDepthMax: depth, answerValuesMax: values } = surroundings.rules.calls;
  const exchange = createExchange({ timeoutMs, answer: { bytes, depth, values }, now: surroundings.now, signal });
  try {
    await options.wire.send(request, exchange.fetch);
  } catch (error) {
    signal.throwIfAborted();
    // An error before anything was sent is ours. After a success it is the client's, over an answer that it cannot read.
    if (exchange.result() === null) throw error;
  }
  const result = exchange.result();
  if (result === null)
    throw new Error('found that a client answered without a request: expected one request for each call');
  if (!result.ok) return result;
  const reading = options.wire.read(result.answer);
  if (!reading.ok) return { ok: false, fault: { ...silentFault(reading.kind), usage: reading.usage, status: 200 } };
  return { ok: true, reply: { ...reading.reply, usage: reading.usage ?? estimateUsage(request, reading.reply) } };
}

function failed({ kind, usage }: Fault, { faults }: RuleBook['providers']): ModelAnswer {
  const message = faults.find((row) => row.kind === kind)?.message ?? kind;
  return { ok: false, failure: { kind, message }, usage: usage ?? nothing };
}

/** As the offline planner meters (decision 2). */
const charactersPerToken = 4;

/** A picture of a page, by what providers document of pictures of about a megapixel. */
const tokensOfPicture = 1500;

/** What a call is taken to have used whose provider does not say: a ceiling must not be passed because a figure is missing. */
function estimateUsage(request: ModelRequest, reply: Omit<ModelReply, 'usage'>): ModelUsage {
  const input =
    tokensOf(request.system) +
    tokensOf(JSON.stringify(request.tools)) +
    request.messages.reduce((sum, message) => sum + tokensOfMessage(message), 0);
  return { inputTokens: input, outputTokens: Math.max(1, tokensOfReply(reply)) };
}

function tokensOfMessage(message: ModelMessage): number {
  if (message.role === 'user') return tokensOfParts(message.parts);
  if (message.role === 'model') return tokensOfReply(message.reply);
  return message.results.reduce((sum, { parts }) => sum + tokensOfParts(parts), 0);
}

function tokensOfParts(parts: readonly ModelPart[]): number {
  return parts.reduce((sum, part) => sum + (part.kind === 'text' ? tokensOf(part.text) : tokensOfPicture), 0);
}

function tokensOfReply({ text, toolCalls }: Omit<ModelReply, 'usage'>): number {
  return tokensOf(text) + toolCalls.reduce((sum, { name, input }) => sum + tokensOf(name + JSON.stringify(input)), 0);
}

function tokensOf(text: string): number {
  return Math.ceil(text.length / charactersPerToken);
}

/** What has been tried so far. */
export interface Tried {
  readonly fault: Fault;
  /** Attempts that were made, at least 1. */
  readonly attempts: number;
}

/**
 * Milliseconds to wait before the next attempt; null where the call has failed: there have been attempts enough, the provider charged
 * for this one, or it wants to be left alone for too long.
 * @param random - at least 0, less than 1
 */
function waitBefore(rules: RuleBook['providers'], { fault, attempts }: Tried, random: () => number): number | null {
  const { calls, faults } = rules;
  const tries = faults.find(({ kind }) => kind === fault.kind)?.tries ?? 1;
  // What was charged is booked once, with its call; a second attempt would be charged on top of what was reserved for one.
  if (attempts >= tries || fault.usage !== null) return null;
  if (fault.waitMs !== null) return fault.waitMs <= calls.namedWaitMsMax ? fault.waitMs : null;
  const most = Math.min(calls.firstWaitMs * 2 ** (attempts - 1), calls.longestWaitMs);
  return Math.round(most / 2 + (most / 2) * random());
}

/** The wire that a provider speaks. Throws an Error for a provider that the table does not have, which is a bug of the tables. */
export function createWire(rules: RuleBook['providers'], provider: string, target: WireTarget): Promise<ProviderApi> {
  const api = rules.providers.find((row) => row.provider === provider)?.api;
  if (api === 'openai-responses') return createResponsesWire(target);
  if (api === 'anthropic-messages') return createMessagesWire(target);
  if (api === 'google-generate-content') return createGenerateContentWire(target);
  const dialect = rules.dialects.find((row) => row.provider === provider);
  if (api === 'chat-completions' && dialect !== undefined) return createChatWire(target, dialect);
  throw new Error(`found ${provider} with the wire ${String(api)}, expected one that this knows and its dialect`);
}
