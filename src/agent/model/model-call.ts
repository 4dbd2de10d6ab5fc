import type { JsonObject, JsonValue } from '#lib/json.ts';

/** A piece of what a model is shown. */
export type ModelPart =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'image'; readonly mediaType: 'image/jpeg' | 'image/png'; readonly bytes: Uint8Array };

/** What a tool answered to one call of a model. */
export interface ToolResult {
  readonly callId: string;
  /** The tool's name, which some providers want again. */
  readonly name: string;
  readonly parts: readonly ModelPart[];
  readonly isError: boolean;
}

/** One turn of a conversation with a model, in order of time. */
export type ModelMessage =
  | { readonly role: 'user'; readonly parts: readonly ModelPart[] }
  | { readonly role: 'model'; readonly reply: ModelReply }
  | { readonly role: 'tools'; readonly results: readonly ToolResult[] };

/** A tool that a model may call. */
export interface ToolDefinition {
  /** `[a-z_]{1,64}`, which every provider takes. */
  readonly name: string;
  readonly description: string;
  /** A JSON Schema of type object, in the subset that every provider takes: no references, no conditions. */
  readonly parameters: JsonObject;
}

/** One question to a model. Says nothing of the provider, the model's name or its reasoning: the door knows them. */
export interface ModelRequest {
  readonly system: string;
  readonly messages: readonly ModelMessage[];
  readonly tools: readonly ToolDefinition[];
  /** Whether the model may, must or must not call a tool. */
  readonly toolChoice: 'auto' | 'required' | 'none';
  /** A JSON Schema for the text of the reply, sent in the provider's own way where it has one; null for free text. */
  readonly outputSchema: JsonObject | null;
  /** At least 1; what the call reserves money for. Reasoning counts as output. */
  readonly maxOutputTokens: number;
}

/** A tool that a model wants called. */
export interface ToolCall {
  readonly id: string;
  readonly name: string;
  /** What the model gave as arguments; null when it was no JSON object. */
  readonly input: JsonObject | null;
}

/** Tokens by the provider's own figures, all of them integers of at least 0; cached input counts as input. */
export interface ModelUsage {
  readonly inputTokens: number;
  readonly outputTokens: number;
}

/** What a model said. */
export interface ModelReply {
  readonly text: string;
  readonly toolCalls: readonly ToolCall[];
  /** Why it ended: by itself, to have tools called, because of `maxOutputTokens`, or because it will not answer. */
  readonly end: 'done' | 'tools' | 'length' | 'refused';
  readonly usage: ModelUsage;
  /** The reply as its provider wants to see it again in the next request; only the provider's own adapter reads it. */
  readonly replay: JsonValue;
}

/** Why a model gave no reply. */
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
  /** One sentence for people, without keys, addresses or what the provider said of our account. */
  readonly message: string;
}

/** What came of one call. `usage` of a failure is what the provider charges all the same. */
export type ModelAnswer =
  | { readonly ok: true; readonly reply: ModelReply }
  | { readonly ok: false; readonly failure: ModelFailure; readonly usage: ModelUsage };

/** One model of one provider, with the reasoning controls of one task, that can be asked. Retries what is worth it by itself. */
export interface ModelClient {
  /** Rejects only with the signal's reason, or for a bug. */
  call(request: ModelRequest, signal: AbortSignal): Promise<ModelAnswer>;
  /** Whether it understands pictures. */
  readonly seesImages: boolean;
  /** Whether it takes an output schema in the provider's own way. */
  readonly hasNativeOutput: boolean;
  /** The smallest `maxOutputTokens` that it can be asked for, because a fixed budget of reasoning is part of it. @defaultValue 1 */
  readonly outputTokensMin?: number;
}

/**
 * The model of a task as its agent reaches it: each call is paid for before it is made and booked after it. Rejects with the
 * signal's reason once the task must not go on, which is also how a call that would exceed the task's ceiling ends.
 */
export interface MeteredModel {
  call(request: ModelRequest): Promise<ModelAnswer>;
  readonly seesImages: boolean;
  readonly hasNativeOutput: boolean;
}

/** Which model a task runs on, and how hard it thinks. */
export interface ModelChoice {
  readonly generation: 'v2' | 'v3' | 'v4';
  /** Normalised name of spec/rules/models.yaml. */
  readonly model: string;
  /** V2 and V3; null for the provider's default. */
  readonly thinkingLevel: string | null;
  /** V4: what goes to the provider unchanged; null in V2 and V3. */
  readonly modelParams: JsonObject | null;
  /** The caller's own key, where the task is to be served with it; null for the service's own route. */
  readonly ownKey: { readonly provider: string; readonly key: string } | null;
}

/** How the service itself reaches a provider: with the provider's own key, or through a cloud platform. */
export type ModelRoute = 'direct' | 'cloud';

/** The model providers that the service is configured with. */
export interface ModelProviders {
  /** A client for the choice; null where no route leads to it, and the offline planner works. */
  clientFor(choice: ModelChoice): Promise<ModelClient | null>;
  /** Route of each configured provider, by the provider column of spec/rules/models.yaml; empty without configuration. */
  readonly routes: ReadonlyMap<string, ModelRoute>;
}
