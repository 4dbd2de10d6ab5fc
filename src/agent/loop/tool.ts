import type { Tab } from '#browsers/tab/tab.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '#lib/json.ts';
import type { AgentWorld } from '../agent.ts';
import type { ToolDefinition } from '../model/model-call.ts';

/** Resources of a tool call. */
export interface ToolWorld {
  readonly world: AgentWorld;
  /** Returns the tab; rejects with a TabError when no tab can be opened. */
  readonly tab: () => Promise<Tab>;
  /** Returns a label of an element for summaries: its name, text or role, else its reference. */
  readonly getLabel: (ref: string) => string;
  /** Returns the complete outline of the last observation. */
  readonly outline: () => string;
  readonly notes: Notes;
}

/** Answer of a tool to the model. */
export interface ToolAnswer {
  /** Text that the service writes. */
  readonly text: string;
  /** Text of pages, files, mails or integrations; fenced and cut to a maximum length. @defaultValue none */
  readonly data?: string;
  /** A JPEG. @defaultValue none */
  readonly picture?: Uint8Array;
}

/** A tool that a model can call, with its parameters and a summary for people. */
export interface Tool extends ToolDefinition {
  /** Whether a call counts as a step. Calls that only read the last outline, take a screenshot or add a note do not. */
  readonly isStep: boolean;
  /** Returns a description of a call in plain words, for the summary of its step. Secrets appear as placeholders. */
  readonly summary: (input: JsonObject, at: Pick<ToolWorld, 'getLabel'>) => string;
  /**
   * Runs the tool with validated input. Rejects with a TabError, FileError, MailError, SkillError or IntegrationError
   * whose message the model receives.
   */
  run(input: JsonObject, at: ToolWorld): Promise<ToolAnswer>;
}

/** Notes that a model keeps for the whole task. */
export interface Notes {
  /** Adds a note; returns false when the notes are full. */
  add(text: string): boolean;
  all(): readonly string[];
}

/** Maximum length of all notes together, because every prompt contains them. */
const notesMax = 8_000;

/** Creates empty notes. */
export function createNotes(): Notes {
  const notes: string[] = [];
  return {
    add(text) {
      const used = notes.reduce((sum, note) => sum + note.length, 0);
      if (used + text.length > notesMax) return false;
      notes.push(text);
      return true;
    },
    all: () => [...notes],
  };
}

/** Returns a string of a tool's validated input, or undefined when absent. Throws a TypeError for another type. */
export function textIn(input: JsonObject, name: string): string | undefined {
  const value = input[name];
  if (value === undefined || typeof value === 'string') return value;
  throw new TypeError(`tool input: ${name} is no text`);
}

/** Returns a required string of a tool's validated input. Throws a TypeError when it is absent or of another type. */
export function requiredText(input: JsonObject, name: string): string {
  const value = textIn(input, name);
  if (value === undefined) throw new TypeError(`tool input: no ${name}`);
  return value;
}

/** Returns a number of a tool's validated input, or undefined when absent. Throws a TypeError for another type. */
export function numberIn(input: JsonObject, name: string): number | undefined {
  const value = input[name];
  if (value === undefined || typeof value === 'number') return value;
  throw new TypeError(`tool input: ${name} is no number`);
}

/** Returns a boolean of a tool's validated input; false when it is absent or of another type. */
export function flagIn(input: JsonObject, name: string): boolean {
  return input[name] === true;
}

/** Returns the strings of an array member and skips other items; empty if the member is absent or not an array. */
export function textsIn(input: JsonObject, name: string): string[] {
  const value = input[name];
  return Array.isArray(value) ? value.filter((one) => typeof one === 'string') : [];
}

/**
 * Returns the parameter schema of a tool: an object with the members `properties` and no others. All members except
 * `optional` are required.
 */
export function toolParameters(
  properties: Readonly<Record<string, JsonObject>>,
  optional: readonly string[] = [],
): JsonObject {
  return {
    type: 'object',
    properties: { ...properties },
    required: Object.keys(properties).filter((name) => !optional.includes(name)),
    additionalProperties: false,
  };
}

/** Schema of an element reference of the outline. */
export const refSchema: JsonObject = {
  type: 'string',
  description: 'Reference of the element in the latest outline, such as e12',
};

/**
 * Returns what is wrong with a tool's input and what was expected; empty for valid input. Supports the part of JSON
 * Schema that tools use: strings, numbers, integers, booleans and lists of strings, with enumerations or bounds.
 */
export function checkInput(parameters: JsonObject, input: JsonObject): string[] {
  const properties = isJsonObject(parameters['properties']) ? parameters['properties'] : {};
  const required = Array.isArray(parameters['required']) ? parameters['required'] : [];
  const missing = required.filter((name) => typeof name === 'string').filter((name) => input[name] === undefined);
  const known = Object.keys(properties).join(', ');
  return [
    ...missing.map((name) => `"${name}" is missing`),
    ...Object.entries(input).flatMap(([name, value]) => {
      const schema = properties[name];
      if (!isJsonObject(schema)) return [`"${name}" is not known; known are: ${known === '' ? 'none' : known}`];
      const wrong = value === undefined ? null : getFault(schema, value);
      return wrong === null ? [] : [`"${name}" must be ${wrong}`];
    }),
  ];
}

/** Returns in words which values the schema allows, such as `a text`; null for a valid value. */
function getFault(schema: JsonObject, value: JsonValue): string | null {
  const choices = schema['enum'];
  if (Array.isArray(choices)) return choices.includes(value) ? null : `one of ${choices.map(String).join(', ')}`;
  if (schema['type'] === 'string') return typeof value === 'string' ? null : 'a text';
  if (schema['type'] === 'boolean') return typeof value === 'boolean' ? null : 'true or false';
  if (schema['type'] === 'array') return isTexts(value) ? null : 'a list of texts';
  return isWithin(schema, value) ? null : numberWords(schema);
}

function isTexts(value: JsonValue): boolean {
  return Array.isArray(value) && value.every((one) => typeof one === 'string');
}

function isWithin({ type, minimum, maximum }: JsonObject, value: JsonValue): boolean {
  if (typeof value !== 'number' || (type === 'integer' && !Number.isInteger(value))) return false;
  return value >= getBound(minimum, Number.NEGATIVE_INFINITY) && value <= getBound(maximum, Number.POSITIVE_INFINITY);
}

function getBound(bound: JsonValue | undefined, otherwise: number): number {
  return typeof bound === 'number' ? bound : otherwise;
}

function numberWords({ type, minimum, maximum }: JsonObject): string {
  const kind = type === 'integer' ? 'a whole number' : 'a number';
  const from = typeof minimum === 'number' ? ` of at least ${minimum}` : '';
  return `${kind}${from}${typeof maximum === 'number' ? ` and at most ${maximum}` : ''}`;
}
