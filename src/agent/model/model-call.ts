import type { JsonObject, JsonValue } from '#lib/json.ts';

/** A part of a message: text or a picture. */
export type ModelPart =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'image'; readonly mediaType: 'image/jpeg' | 'image/png'; readonly bytes: Uint8Array };

/** Result of a tool call. */
export interface ToolResult {
  readonly callId: string;
  /** Name of the tool, which some providers require. */
  readonly name: string;
  readonly parts: readonly ModelPart[];
  readonly isError: boolean;
}

/** A message of a conversation: from the user, from the model, or with tool results. */
export type ModelMessage =
  | { readonly role: 'user'; readonly parts: readonly ModelPart[] }
  | { readonly role: 'model'; readonly reply: ModelReply }
  | { readonly role: 'tools'; readonly results: readonly ToolResult[] };

/** A tool that a model may call. */
export interface ToolDefinition {
  /** `[a-z_]{1,64}`, which every provider accepts. */
  readonly name: string;
  readonly description: string;
  /** A JSON Schema of type object in the subset that every provider accepts: no references, no conditions. */
  readonly parameters: JsonObject;
}

/**
 * A request to a model. It contains neither provider, model name nor reasoning controls, which belong to the client.
 */
export interface ModelRequest {
  readonly system: string;
  readonly messages: readonly ModelMessage[];
  readonly tools: readonly ToolDefinition[];
  /** Whether the model may, must or must not call a tool. */
  readonly toolChoice: 'auto' | 'required' | 'none';
  /** JSON Schema for the text of the reply, sent in the provider's native way if possible; null for free text. */
  readonly outputSchema: JsonObject | null;
  /** Maximum output tokens, reasoning included; at least 1. The call reserves money for this number. */
  readonly maxOutputTokens: number;
}

/** A tool call of a model. */
export interface ToolCall {
  readonly id: string;
  readonly name: string;
  /** Arguments of the call; null when they were no JSON object. */
  readonly input: JsonObject | null;
}

/** Token counts of the provider, integers of at least 0; cached input counts as input. */
export interface ModelUsage {
  readonly inputTokens: number;
  readonly outputTokens: number;
}

/** Reply of a model. */
export interface ModelReply {
  readonly text: string;
  readonly toolCalls: readonly ToolCall[];
  /** Reason why the reply ended: completed, tool calls, `maxOutputTokens`, or refusal. */
  readonly end: 'done' | 'tools' | 'length' | 'refused';
  readonly usage: ModelUsage;
  /** The reply in the form that the provider expects in the next request; only the provider's adapter reads it. */
  readonly replay: JsonValue;
}

/** Reason why a model gave no reply. */
export interface ModelFailure {
  readonly kind:
    | 'unauthorised'
    | 'out-of-credit'
    | 'rate-limited'
    | 'overloaded'
    | 'timeout'
    | 'unreachable'
    | 'cut-off'
    | 'garbled'
    | 'bad-request';
  /** One sentence for people, without keys, URLs or details of the provider account. */
  readonly message: string;
}

/** Result of one call. The `usage` of a failure counts the tokens that the provider charges for the failed call. */
export type ModelAnswer =
  | { readonly ok: true; readonly reply: ModelReply }
  | { readonly ok: false; readonly failure: ModelFailure; readonly usage: ModelUsage };

/** Client of one model of one provider, with the reasoning controls of one task. It retries transient failures. */
export interface ModelClient {
  /** Sends a request. Rejects only with the signal's reason, or for a bug. */
  call(request: ModelRequest, signal: AbortSignal): Promise<ModelAnswer>;
  /** Whether the model accepts pictures. */
  readonly seesImages: boolean;
  /** Whether the provider supports output schemas natively. */
  readonly hasNativeOutput: boolean;
  /** Minimum of a request's `maxOutputTokens`. It includes the tokens of a fixed reasoning budget. @defaultValue 1 */
  readonly outputTokensMin?: number;
}

/**
 * The model of a task for its agent. Each call reserves money in advance and is charged afterwards. Once the task must
 * end, calls reject with the reason of the task's abort signal. A call that could exceed a cost limit ends the task;
 * a call for a title or judgement instead resolves to a failure.
 */
export interface MeteredModel {
  call(request: ModelRequest): Promise<ModelAnswer>;
  readonly seesImages: boolean;
  readonly hasNativeOutput: boolean;
}

/** Model and reasoning of a task. */
export interface ModelChoice {
  readonly generation: 'v2' | 'v3' | 'v4';
  /** Normalised name of spec/rules/models.yaml. */
  readonly model: string;
  /** Thinking level of a V2 or V3 task; null for the provider's default. */
  readonly thinkingLevel: string | null;
  /** Model parameters of a V4 task, sent unchanged; null for the provider's defaults, and always null in V2 and V3. */
  readonly modelParams: JsonObject | null;
  /** The caller's own provider key for the task; null for the service's route. */
  readonly ownKey: { readonly provider: string; readonly key: string } | null;
}

/** Route of the service to a provider: directly with a key of the provider, or through a cloud platform. */
export type ModelRoute = 'direct' | 'cloud';

/** The configured model providers. */
export interface ModelProviders {
  /**
   * Returns a client for the choice; null if the service has no access to a provider of the model. The offline planner
   * then works on the task.
   */
  clientFor(choice: ModelChoice): Promise<ModelClient | null>;
  /** Route of each configured provider, by the provider names of spec/rules/models.yaml; empty without providers. */
  readonly routes: ReadonlyMap<string, ModelRoute>;
}
