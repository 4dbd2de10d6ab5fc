import { type JsonObject, type JsonValue, isJsonObject } from '#lib/json.ts';
import { follow } from './follow.ts';
import type { Target } from './targets.ts';

/** One answer of an operation, with what a link says of it. */
export interface LinkedAnswer {
  /** For example `201`. */
  readonly status: string;
  /** Schema of the JSON body; absent where there is none. */
  readonly schema: JsonValue | undefined;
  readonly links: readonly FoundLink[];
}

/** A link of an answer. */
export interface FoundLink {
  readonly name: string;
  readonly operationId: string;
  /** Parameter of the target -> expression that fills it. */
  readonly parameters: Readonly<Record<string, JsonValue>>;
}

/** The answers of an operation in document order. */
export function answersOf(document: JsonObject, { operation }: Target): LinkedAnswer[] {
  const responses = isJsonObject(operation['responses']) ? operation['responses'] : {};
  return Object.entries(responses).map(([status, value]) => {
    const response = follow(document, value);
    const content = isJsonObject(response['content']) ? response['content'] : {};
    const media = content['application/json'];
    return {
      status,
      schema: isJsonObject(media) ? media['schema'] : undefined,
      links: linksOf(document, response['links']),
    };
  });
}

function linksOf(document: JsonObject, value: JsonValue | undefined): FoundLink[] {
  return Object.entries(isJsonObject(value) ? value : {}).map(([name, entry]) => {
    const { operationId, parameters } = follow(document, entry);
    return {
      name,
      operationId: typeof operationId === 'string' ? operationId : '',
      parameters: isJsonObject(parameters) ? parameters : {},
    };
  });
}
