import { type JsonObject, type JsonValue, isJsonObject } from '../core/json.ts';
import type { Offer, OfferedTool, ReplyContent } from './wire.ts';

/** Tool call that the target file prescribes for the stub's responses; null for a text that ends the task. */
export type Script = { tool: string; input: JsonObject } | null;

/** Patterns for the name of the tool by which an agent ends a task, the most likely first. */
const endings = [/^(finish|done|complete|submit|answer)/i, /finish|done|complete|final|answer|end/i];

/**
 * Returns the content of the stub's response, by the first rule that applies. If the request offers the prescribed
 * tool: a call of this tool. If the request requires a tool call: a call of the tool that it names, or of the tool that
 * most likely ends a task. If the request has an output schema: a JSON text of this schema. Otherwise `text`.
 */
export function chooseReplyContent(offer: Offer, script: Script, text: string): ReplyContent {
  const scripted = script === null ? undefined : offer.tools.find(({ name }) => name === script.tool);
  if (scripted !== undefined && script !== null) return { tool: script.tool, input: script.input };
  const tool = offer.toolChoice === 'may' ? undefined : forcedTool(offer);
  if (tool !== undefined) return { tool: tool.name, input: createInput(tool, text) };
  return { text: offer.schema === undefined ? text : JSON.stringify(createInstance(offer.schema, text)) };
}

function forcedTool({ tools, toolChoice }: Offer): OfferedTool | undefined {
  if (typeof toolChoice === 'object') return tools.find(({ name }) => name === toolChoice.name);
  const likely = endings
    .map((ending) => tools.find(({ name }) => ending.test(name)))
    .find((tool) => tool !== undefined);
  return likely ?? tools[0];
}

function createInput({ parameters }: OfferedTool, text: string): JsonObject {
  const made = createInstance(parameters ?? { type: 'object' }, text);
  return typeof made === 'object' && made !== null && !Array.isArray(made) ? made : {};
}

/** Maximum depth to which a schema is followed, so that a recursive schema comes to an end. */
const depthMax = 6;

/**
 * Returns a small value for a plain JSON Schema: its constant, first enumerated value or default, otherwise a value of
 * its first alternative (`anyOf`, `oneOf`, `allOf`), otherwise a minimal value of its type with the required members.
 * Strings, and values below the maximum depth, are `text`.
 */
function createInstance(schema: JsonValue | undefined, text: string, depth = 0): JsonValue {
  if (!isJsonObject(schema) || depth > depthMax) return text;
  const given = [schema['const'], first(schema['enum']), schema['default']].find((value) => value !== undefined);
  if (given !== undefined) return given;
  const choice = first(schema['anyOf']) ?? first(schema['oneOf']) ?? first(schema['allOf']);
  if (choice !== undefined) return createInstance(choice, text, depth + 1);
  return ofType(readType(schema), schema, { text, depth });
}

function ofType(type: string, schema: JsonObject, { text, depth }: { text: string; depth: number }): JsonValue {
  if (type === 'object') return createObject(schema, text, depth);
  if (type === 'array') {
    const count = Math.min(Number(schema['minItems'] ?? 0), 3);
    return Array.from({ length: count }, () => createInstance(schema['items'], text, depth + 1));
  }
  if (type === 'integer' || type === 'number') return Number(schema['minimum'] ?? 1);
  if (type === 'boolean') return true;
  return type === 'null' ? null : text;
}

function createObject({ properties, required }: JsonObject, text: string, depth: number): JsonObject {
  const known = isJsonObject(properties) ? properties : {};
  const names = Array.isArray(required) ? required.filter((name) => typeof name === 'string') : [];
  return Object.fromEntries(names.map((name) => [name, createInstance(known[name], text, depth + 1)]));
}

function readType({ type, properties }: JsonObject): string {
  const one = Array.isArray(type) ? first(type) : type;
  if (typeof one === 'string') return one.toLowerCase();
  return properties === undefined ? 'string' : 'object';
}

function first(list: JsonValue | undefined): JsonValue | undefined {
  return Array.isArray(list) ? list[0] : undefined;
}
