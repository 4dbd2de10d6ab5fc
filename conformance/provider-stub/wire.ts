import type { JsonObject, JsonValue } from '../core/json.ts';

/** A tool that a model call offers to the model. */
export interface OfferedTool {
  name: string;
  /** JSON Schema of the tool's arguments; undefined if the request has no such schema. */
  parameters: JsonValue | undefined;
}

/** The tools that a model call offers, and the kinds of responses that it allows. */
export interface Offer {
  tools: OfferedTool[];
  /** `may`: a text is allowed; `must`: a tool must be called; otherwise the name of the tool that must be called. */
  toolChoice: 'may' | 'must' | { name: string };
  /** JSON Schema of the text; undefined for free text. */
  schema: JsonValue | undefined;
}

/** Content of a stub's response: a text, or a tool call. */
export type ReplyContent = { text: string } | { tool: string; input: JsonObject };

/** Values of a response besides its content. */
export interface AnswerFacts {
  model: string;
  /** Number of calls that reached the stub before this call. The ids in the response are derived from it. */
  index: number;
  body: JsonObject;
}

/** Request and response format of one family of providers. */
export interface Wire {
  offer(body: JsonObject): Offer;
  /** Creates the body of a complete response. */
  answer(saying: ReplyContent, facts: AnswerFacts): JsonObject;
  /** Splits a complete response into the events of a stream. The name of an event is sent in its `event:` line. */
  events(answer: JsonObject): { name?: string; data: JsonValue }[];
  /** Text that ends a stream. */
  end: string;
  /** Creates the body of an error response. */
  problem(message: string): JsonObject;
}

/** Token counts of every response. They are small, but not 0, so that the service has a cost to record. */
export const usage = { input: 12, output: 6 } as const;
