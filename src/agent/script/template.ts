import { createHash } from 'node:crypto';
import type { JsonObject, JsonValue } from '#lib/json.ts';
import type { AgentTask } from '../agent.ts';

/** Marks an input in a task, as in `Search for @{{teapot}}`. */
const MARKED = /@\{\{(?<value>[^{}\n]{1,500})\}\}/g;

/** Maximum number of inputs in a task. Further marks stay as they are written. */
const INPUTS_MAX = 50;

/** A task with its inputs apart. */
export interface Template {
  /** The task with numbered marks, as in `Search for @{{1}}`. */
  readonly text: string;
  /** Values of the inputs by their numbers, from `1`. */
  readonly values: ReadonlyMap<string, string>;
  /** The task as an agent reads it, without marks. */
  readonly goal: string;
}

/** Returns whether a task marks inputs, which turns scripts on without a request. */
export function hasInputs(task: string): boolean {
  return task.search(MARKED) >= 0;
}

/** Separates a task from its inputs. Equal values share a number. */
export function readTemplate(task: string): Template {
  const numbers = new Map<string, string>();
  const text = task.replaceAll(MARKED, (whole, value: string) => {
    if (!numbers.has(value) && numbers.size >= INPUTS_MAX) return whole;
    const number = numbers.get(value) ?? String(numbers.size + 1);
    numbers.set(value, number);
    return `@{{${number}}}`;
  });
  const values = new Map([...numbers].map(([value, number]) => [number, value]));
  return { text, values, goal: createMarks(values).fill(text) };
}

/** Replaces values by marks, and marks by the values of another run. */
export interface Marks {
  /** Adds a value that only this run has, such as a code from a mail. */
  set(name: string, value: string): void;
  /** Returns a text with marks in place of whole values. */
  mark(text: string): string;
  /** Returns a text with values in place of known marks. */
  fill(text: string): string;
  /** Returns whether a text contains a mark of its own, which `fill` would replace. */
  isMarked(text: string): boolean;
}

/** Values shorter than this are not replaced: they could be part of anything. */
const VALUE_MIN = 2;

/** Creates the marks of a run from the inputs of its task. */
export function createMarks(inputs: ReadonlyMap<string, string>): Marks {
  const values = new Map(inputs);
  let forms = formsOf(values);
  const pattern = (): RegExp | null => (forms.size === 0 ? null : anyOf([...forms.keys()]));
  let found = pattern();
  return {
    set(name, value) {
      values.set(name, value);
      forms = formsOf(values);
      found = pattern();
    },
    mark: (text) => (found === null ? text : text.replaceAll(found, (value) => `@{{${forms.get(value) ?? ''}}}`)),
    fill: (text) =>
      text.replaceAll(/@\{\{([\w.]{1,20})(:url|:form)?\}\}/g, (whole, name: string, form?: string) => {
        const value = values.get(name);
        return value === undefined ? whole : encode(value, form);
      }),
    isMarked: (text) => text.includes('@{{'),
  };
}

/** Returns the spellings of values in texts and URLs, with the mark of each. */
function formsOf(values: ReadonlyMap<string, string>): Map<string, string> {
  const forms = new Map<string, string>();
  for (const form of ['', ':url', ':form'])
    for (const [name, value] of values) {
      const written = encode(value, form);
      if (value.length >= VALUE_MIN && !forms.has(written)) forms.set(written, `${name}${form}`);
    }
  return forms;
}

function encode(value: string, form: string | undefined): string {
  if (form === ':url') return encodeURIComponent(value);
  return form === ':form' ? new URLSearchParams([['', value]]).toString().slice(1) : value;
}

/** Matches one of some texts where no letter or digit continues it, the longest first. */
function anyOf(texts: readonly string[]): RegExp {
  const sorted = texts.toSorted((one, other) => other.length - one.length).map(bounded);
  // oxlint-disable-next-line svc/no-dynamic-pattern -- alternatives without repetition, of at most some dozen values
  return new RegExp(sorted.join('|'), 'gu');
}

function bounded(text: string): string {
  const before = /^[\p{L}\p{N}]/u.test(text) ? '(?<![\\p{L}\\p{N}])' : '';
  const after = /[\p{L}\p{N}]$/u.test(text) ? '(?![\\p{L}\\p{N}])' : '';
  return `${before}${escapePattern(text)}${after}`;
}

/** Returns a text as a pattern that matches it. */
function escapePattern(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
}

/** Applies a function to every text of a value; members keep their names. */
export function mapTexts(value: JsonValue, map: (text: string) => JsonValue): JsonValue {
  if (typeof value === 'string') return map(value);
  if (Array.isArray(value)) return value.map((one) => mapTexts(one, map));
  if (value === null || typeof value !== 'object') return value;
  const members: JsonObject = {};
  for (const [name, member] of Object.entries(value)) if (member !== undefined) members[name] = mapTexts(member, map);
  return members;
}

/** Returns the path of the script of a task: its first words, and a hash of the template and the output schema. */
export function scriptPath({ text }: Template, { outputSchema }: Pick<AgentTask, 'outputSchema'>): string {
  const hash = createHash('sha256')
    .update(JSON.stringify([text, outputSchema]))
    .digest('hex')
    .slice(0, 12);
  const words = text
    .toLowerCase()
    .normalize('NFKD')
    .match(/[a-z0-9]+/g);
  const slug = (words ?? []).slice(0, 6).join('-').slice(0, 60);
  return `scripts/${slug === '' ? 'task' : slug}-${hash}.json`;
}
