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
import { createExchange, type Fault, silentFault } from './exchange.ts';

/** Dependencies that all calls of the service share. */
export interface CallSurroundings {
  readonly rules: RuleBook['providers'];
  /** Waits; rejects with the signal's reason when aborted. */
  readonly wait: (ms: number, signal: AbortSignal) => Promise<void>;
  /** Returns a random number of at least 0 and less than 1. */
  readonly random: () => number;
  /** Returns the current time in milliseconds since the Unix epoch. */
  readonly now: () => number;
  /** Receives every failed attempt, without keys, prompts or URLs. */
  readonly report: (attempt: JsonObject) => void;
}

/** Model and adapter of a client. */
export interface ClientOptions {
  readonly wire: ProviderApi;
  /** Name of the provider, for reports. */
  readonly provider: string;
  readonly model: string;
  readonly seesImages: boolean;
  readonly hasNativeOutput: boolean;
  /**
   * Minimum of a request's `maxOutputTokens`, at least 1; a call with less fails as `bad-request` without a request.
   */
  readonly outputTokensMin: number;
}

type Attempt = Extract<ModelAnswer, { readonly ok: true }> | { readonly ok: false; readonly fault: Fault };

const nothing: ModelUsage = { inputTokens: 0, outputTokens: 0 };

/**
 * Creates a client of one model that sends requests, reads responses and retries transient failures. One call has one
 * answer with one usage, whatever the number of attempts. A call rejects with the signal's reason when aborted.
 */
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
    // An error before sending is a bug of the service. After a success, the error comes from the SDK, which could not
    // read the response.
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

/** Characters per token: a common estimate for English text, as in `src/planner/step-summary.ts`. */
const charactersPerToken = 4;

/** Estimated tokens of a page picture: the number that providers document for a picture of about one megapixel. */
const tokensOfPicture = 1500;

/**
 * Estimates the usage of a call whose provider does not report it, so that the call still counts towards the cost
 * limit.
 */
function estimateUsage(request: ModelRequest, reply: Omit<ModelReply, 'usage'>): ModelUsage {
  const input =
    getTokens(request.system) +
    getTokens(JSON.stringify(request.tools)) +
    request.messages.reduce((sum, message) => sum + countMessageTokens(message), 0);
  return { inputTokens: input, outputTokens: Math.max(1, countReplyTokens(reply)) };
}

function countMessageTokens(message: ModelMessage): number {
  if (message.role === 'user') return countPartTokens(message.parts);
  if (message.role === 'model') return countReplyTokens(message.reply);
  return message.results.reduce((sum, { parts }) => sum + countPartTokens(parts), 0);
}

function countPartTokens(parts: readonly ModelPart[]): number {
  return parts.reduce((sum, part) => sum + (part.kind === 'text' ? getTokens(part.text) : tokensOfPicture), 0);
}

function countReplyTokens({ text, toolCalls }: Omit<ModelReply, 'usage'>): number {
  return getTokens(text) + toolCalls.reduce((sum, { name, input }) => sum + getTokens(name + JSON.stringify(input)), 0);
}

function getTokens(text: string): number {
  return Math.ceil(text.length / charactersPerToken);
}

/** The failed attempts of one call so far, with the fault of the last attempt. */
export interface Tried {
  readonly fault: Fault;
  /** Number of attempts, at least 1. */
  readonly attempts: number;
}

/**
 * Returns the wait before the next attempt in milliseconds. Null when the call has failed: after the last attempt,
 * after a charged attempt, or when the provider asks for too long a wait.
 * @param random - returns a number of at least 0 and less than 1
 */
function waitBefore(rules: RuleBook['providers'], { fault, attempts }: Tried, random: () => number): number | null {
  const { calls, faults } = rules;
  const tries = faults.find(({ kind }) => kind === fault.kind)?.tries ?? 1;
  // A charged attempt ends the call: a second one would be charged beyond the reserved amount.
  if (attempts >= tries || fault.usage !== null) return null;
  if (fault.waitMs !== null) return fault.waitMs <= calls.namedWaitMsMax ? fault.waitMs : null;
  const most = Math.min(calls.firstWaitMs * 2 ** (attempts - 1), calls.longestWaitMs);
  return Math.round(most / 2 + (most / 2) * random());
}

/** Variables whose headers the SDKs would add to every request; they could replace the key of the adapter. */
const headerVariables = ['OPENAI_CUSTOM_HEADERS', 'ANTHROPIC_CUSTOM_HEADERS'];

/**
 * Creates the adapter of a provider's API, and removes `headerVariables` from the environment. Throws an Error for a
 * provider without a known API or, for chat completions, without a dialect, which is a bug of the tables.
 */
export function createWire(rules: RuleBook['providers'], provider: string, target: WireTarget): Promise<ProviderApi> {
  for (const name of headerVariables) Reflect.deleteProperty(process.env, name);
  const api = rules.providers.find((row) => row.provider === provider)?.api;
  if (api === 'openai-responses') return createResponsesWire(target);
  if (api === 'anthropic-messages') return createMessagesWire(target);
  if (api === 'google-generate-content') return createGenerateContentWire(target);
  const dialect = rules.dialects.find((row) => row.provider === provider);
  if (api === 'chat-completions' && dialect !== undefined) return createChatWire(target, dialect);
  throw new Error(`found ${provider} with the wire ${String(api)}, expected one that this knows and its dialect`);
}
