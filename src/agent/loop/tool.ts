import type { Tab } from '#browsers/tab/tab.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '#lib/json.ts';
import type { AgentWorld } from '../agent.ts';
import type { ToolDefinition } from '../model/model-call.ts';

/** What a call of a tool works with. */
export interface ToolWorld {
  readonly world: AgentWorld;
  /** The tab; rejects with a TabError when there can be none. */
  readonly tab: () => Promise<Tab>;
  /** What people call the element of a reference, for summaries: its name in quotation marks, else the reference. */
  readonly labelOf: (ref: string) => string;
  /** The whole outline of the page as the model was shown it. */
  readonly outline: () => string;
  readonly notes: Notes;
}

/** What a tool answers a model. */
export interface ToolAnswer {
  /** Our own words. */
  readonly text: string;
  /** What pages, files or mails say: it is fenced, and cut where it is too long. @defaultValue nothing */
  readonly data?: string;
  /** A JPEG; @defaultValue none */
  readonly picture?: Uint8Array;
}

/** A tool that a model can call, with its parameters and a summary for people. */
export interface Tool extends ToolDefinition {
  /** Whether a call is a step of the task, as everything is that acts on something or reads it. */
  readonly isStep: boolean;
  /** What was done, in plain words, for the step's summary. Secrets are there by their names only. */
  readonly summary: (input: JsonObject, at: Pick<ToolWorld, 'labelOf'>) => string;
  /**
   * Runs the tool with validated input. Rejects with a TabError, FileError or MailError whose message the model
   * receives.
   */
  run(input: JsonObject, at: ToolWorld): Promise<ToolAnswer>;
}

/** What a model wants to keep in mind, however long its task takes. */
export interface Notes {
  /** Answers whether there was room for it. */
  add(text: string): boolean;
  all(): readonly string[];
}

/** Characters of all notes together: they stand in every prompt. */
const NOTES_MAX = 8_000;

/** No notes yet. */
export function createNotes(): Notes {
  const notes: string[] = [];
  return {
    add(text) {
      const used = notes.reduce((sum, note) => sum + note.length, 0);
      if (used + text.length > NOTES_MAX) return false;
      notes.push(text);
      return true;
    },
    all: () => [...notes],
  };
}

/** A text of a tool's input, or undefined where it was left out. The input was checked before: anything else is a bug. */
export function textIn(input: JsonObject, name: string): string | undefined {
  const value = input[name];
  if (value === undefined || typeof value === 'string') return value;
  throw new TypeError(`tool input: ${name} is no text`);
}

/** A text that is required. */
export function requiredText(input: JsonObject, name: string): string {
  const value = textIn(input, name);
  if (value === undefined) throw new TypeError(`tool input: no ${name}`);
  return value;
}

/** A number, or undefined where it was left out. */
export function numberIn(input: JsonObject, name: string): number | undefined {
  const value = input[name];
  if (value === undefined || typeof value === 'number') return value;
  throw new TypeError(`tool input: ${name} is no number`);
}

/** Whether a switch is on; one that was left out is off. */
export function flagIn(input: JsonObject, name: string): boolean {
  return input[name] === true;
}

/** Texts of a list; none where it was left out. */
export function textsIn(input: JsonObject, name: string): string[] {
  const value = input[name];
  return Array.isArray(value) ? value.filter((one) => typeof one === 'string') : [];
}

/** The parameters of a tool: an object of these members, all of them required but the `optional` ones, and no others. */
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

/** An element of the page, by the reference that the outline gives it. */
export const REF: JsonObject = {
  type: 'string',
  description: 'Reference of the element in the latest outline, such as e12',
};

/**
 * What is wrong with a tool's input, in words that say what was expected; empty when nothing is. Knows the little of JSON Schema
 * that the tools' parameters are written in: members that are texts, numbers, integers, booleans or lists of texts, with an
 * enumeration or bounds.
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
      const wrong = value === undefined ? null : faultOf(schema, value);
      return wrong === null ? [] : [`"${name}" must be ${wrong}`];
    }),
  ];
}

/** What a value had to be, or null when it is that. */
function faultOf(schema: JsonObject, value: JsonValue): string | null {
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
  return value >= boundOf(minimum, Number.NEGATIVE_INFINITY) && value <= boundOf(maximum, Number.POSITIVE_INFINITY);
}

function boundOf(bound: JsonValue | undefined, otherwise: number): number {
  return typeof bound === 'number' ? bound : otherwise;
}

function numberWords({ type, minimum, maximum }: JsonObject): string {
  const kind = type === 'integer' ? 'a whole number' : 'a number';
  const from = typeof minimum === 'number' ? ` of at least ${minimum}` : '';
  return `${kind}${from}${typeof maximum === 'number' ? ` and at most ${maximum}` : ''}`;
}
