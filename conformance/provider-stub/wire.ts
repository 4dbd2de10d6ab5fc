import type { JsonObject, JsonValue } from '../core/json.ts';

/** A tool that a request offers. */
export interface OfferedTool {
  name: string;
  /** JSON Schema of its arguments; undefined where the request shows none. */
  parameters: JsonValue | undefined;
}

/** Kinds of answers that a request allows. */
export interface Offer {
  tools: OfferedTool[];
  /** `may`: text is enough; `must`: a tool has to be called; otherwise the name of the tool. */
  toolChoice: 'may' | 'must' | { name: string };
  /** JSON Schema of the text; undefined for free text. */
  schema: JsonValue | undefined;
}

/** Content of an answer of the stub: a text, or a tool call. */
export type Saying = { text: string } | { tool: string; input: JsonObject };

/** Values of an answer besides its content. */
export interface AnswerFacts {
  model: string;
  /** Place among all that reached the stub: ids are made with it. */
  index: number;
  body: JsonObject;
}

/** Protocol of one family of providers. */
export interface Wire {
  offer(body: JsonObject): Offer;
  /** The whole answer. */
  answer(saying: Saying, facts: AnswerFacts): JsonObject;
  /** The same answer as the events of a stream; a name is sent in a line of its own where there is one. */
  events(answer: JsonObject): { name?: string; data: JsonValue }[];
  /** Text that ends a stream. */
  end: string;
  /** A refusal. */
  problem(message: string): JsonObject;
}

/** Tokens of every call: cheap, and not nothing, so that something can be booked. */
export const usage = { input: 12, output: 6 } as const;
