import { answerSchemas } from '../../conformance/core/answer-schemas.ts';
import type { JsonValue } from '../../conformance/core/json.ts';
import { type Operation, allOperations } from '../../conformance/core/operations.ts';
import type { Draw } from '../draw.ts';
import { callHeaders } from './call-headers.ts';
import { callPath } from './call-path.ts';
import type { CallRequest } from './fuzzed-request.ts';
import { mutateValue } from './mutate-value.ts';
import { distort, oddBody, utf8 } from './odd-bodies.ts';
import { schemaValue } from './schema-value.ts';

/** Methods that the operation does not have. */
const otherMethods = [
  'GET',
  'POST',
  'PUT',
  'PATCH',
  'DELETE',
  'HEAD',
  'OPTIONS',
  'TRACE',
  'PROPFIND',
  'QUERY',
] as const;

/** Share of valid bodies, so that code after validation is reached often. */
const validShare = 0.5;

/** Creates a call of a random operation, valid or mutated. */
export function drawCall(draw: Draw): CallRequest {
  const operation = draw.of(allOperations);
  const { path, isOperation } = callPath(draw, operation);
  const method = draw.chance(0.04) ? draw.of(otherMethods) : operation.method;
  const hasKey = draw.chance(0.95);
  const body = getBody(draw, operation);
  // Sometimes a body is sent with a method that has none.
  const sent = method === 'GET' || method === 'HEAD' ? null : body;
  return {
    kind: 'call',
    operation: isOperation && method === operation.method ? operation.key : null,
    method,
    path,
    headers: callHeaders(draw, { hasKey, hasBody: sent !== null }),
    body: sent,
    hasKey,
  };
}

function getBody(draw: Draw, operation: Operation): string | null {
  const schema = answerSchemas.schemaOf(operation, 'request');
  if (schema === undefined) return draw.chance(0.05) ? oddBody(draw) : null;
  if (draw.chance(0.03)) return null;
  if (draw.chance(0.08)) return oddBody(draw);
  const value = valueFor(draw, operation);
  if (draw.chance(validShare)) return utf8(JSON.stringify(value));
  const changed = draw.chance(0.85) ? mutateValue(draw, value) : value;
  const json = JSON.stringify(changed);
  return draw.chance(0.2) ? distort(draw, json) : utf8(json);
}

/** Returns a body from the schema or the example of the document. */
function valueFor(draw: Draw, operation: Operation): JsonValue {
  const example = draw.chance(0.15) ? answerSchemas.exampleOf(operation) : undefined;
  if (example !== undefined) return example;
  const schema = answerSchemas.schemaOf(operation, 'request') ?? {};
  return schemaValue({ draw, generation: operation.generation }, schema);
}
