import type { JsonObject, JsonValue } from '../core/json.ts';

/** A tool that a model call offers to the model. */
export interface OfferedTool {
  name: string;
  /** JSON Schema of its arguments; undefined where the request shows none. */
  parameters: JsonValue | undefined;
}

/** Kinds of responses that a model call allows. */
export interface Offer {
  tools: OfferedTool[];
  /** `may`: text is enough; `must`: a tool has to be called; otherwise the name of the tool. */
  toolChoice: 'may' | 'must' | { name: string };
  /** JSON Schema of the text; undefined for free text. */
  schema: JsonValue | undefined;
}

/** Content of a stub's response: a text, or a tool call. */
export type ReplyContent = { text: string } | { tool: string; input: JsonObject };

/** Values of a response besides its content. */
export interface AnswerFacts {
  model: string;
  /** Place among all that reached the stub: ids are made with it. */
  index: number;
  body: JsonObject;
}

/** Request and response format of one family of providers. */
export interface Wire {
  offer(body: JsonObject): Offer;
  /** The whole answer. */
  answer(saying: ReplyContent, facts: AnswerFacts): JsonObject;
  /** The same answer as the events of a stream; a name is sent in a line of its own where there is one. */
  events(answer: JsonObject): { name?: string; data: JsonValue }[];
  /** Text that ends a stream. */
  end: string;
  /** A refusal. */
  problem(message: string): JsonObject;
}

/** Token counts of every response. They are small, but not 0, so that the service has a cost to record. */
export const usage = { input: 12, output: 6 } as const;
