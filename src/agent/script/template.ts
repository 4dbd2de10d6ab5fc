import { createHash } from 'node:crypto';
import type { JsonObject, JsonValue } from '#lib/json.ts';
import type { AgentTask } from '../agent.ts';
import { createMatcher, getUnits, type Place } from '../redaction/matcher.ts';

/** Matches an input in a task, as in `Search for @{{teapot}}`. */
const markedPattern = /@\{\{(?<value>[^{}\n]{1,500})\}\}/g;

/** Maximum number of different inputs in a task. Inputs beyond this number stay in the text as they are written. */
const inputsMax = 50;

/** The text of a task without its inputs, and the inputs. */
export interface Template {
  /** The task with numbered marks, as in `Search for @{{1}}`. */
  readonly text: string;
  /** Values of the inputs by their numbers, from `1`. */
  readonly values: ReadonlyMap<string, string>;
  /** The task as an agent reads it, without marks. */
  readonly goal: string;
}

/**
 * Returns whether a task marks inputs. Such a task has a script, unless the request states whether it wants a script.
 */
export function hasInputs(task: string): boolean {
  return task.search(markedPattern) >= 0;
}

/** Separates the inputs from the text of a task. Equal values have the same number. */
export function readTemplate(task: string): Template {
  const numbers = new Map<string, string>();
  const text = task.replaceAll(markedPattern, (whole, value: string) => {
    if (!numbers.has(value) && numbers.size >= inputsMax) return whole;
    const number = numbers.get(value) ?? String(numbers.size + 1);
    numbers.set(value, number);
    return `@{{${number}}}`;
  });
  const values = new Map([...numbers].map(([value, number]) => [number, value]));
  return { text, values, goal: createMarks(values).fill(text) };
}

/** The replacement of input values by marks such as `@{{1}}`, and of marks by the input values of another run. */
export interface Marks {
  /** Adds a value that only this run has, such as a code from a mail. */
  set(name: string, value: string): void;
  /** Returns a text with marks in place of input values, except inside longer words. */
  mark(text: string): string;
  /** Returns a text with values in place of known marks. */
  fill(text: string): string;
  /** Returns whether a text contains `@{{`, so that `fill` could replace a part of the text. */
  isMarked(text: string): boolean;
}

/** Minimum length of a replaced value in UTF-16 units: a shorter value could be part of any word. */
const valueMin = 2;

/** Creates the marks of a run from the inputs of its task. */
export function createMarks(inputs: ReadonlyMap<string, string>): Marks {
  const values = new Map(inputs);
  let forms = listForms(values);
  let find = createFind(forms);
  return {
    set(name, value) {
      values.set(name, value);
      forms = listForms(values);
      find = createFind(forms);
    },
    mark: (text) => replaceForms(text, find(text)),
    fill: (text) =>
      text.replaceAll(/@\{\{([\w.]{1,20})(:url|:form)?\}\}/g, (whole, name: string, form?: string) => {
        const value = values.get(name);
        return value === undefined ? whole : encode(value, form);
      }),
    isMarked: (text) => text.includes('@{{'),
  };
}

/** A spelling of a value (plain, URL-encoded or form-encoded), and the mark that replaces it, such as `@{{1:url}}`. */
interface Form {
  readonly text: string;
  readonly mark: string;
}

/** Returns the spellings of values. If two values have the same spelling, only the first value gets this spelling. */
function listForms(values: ReadonlyMap<string, string>): Form[] {
  const forms = new Map<string, Form>();
  for (const form of ['', ':url', ':form'])
    for (const [name, value] of values) {
      const text = encode(value, form);
      if (value.length >= valueMin && !forms.has(text)) forms.set(text, { text, mark: `@{{${name}${form}}}` });
    }
  return [...forms.values()];
}

function encode(value: string, form: string | undefined): string {
  if (form === ':url') return encodeURIComponent(value);
  return form === ':form' ? new URLSearchParams([['', value]]).toString().slice(1) : value;
}

/** An occurrence of a spelling ({@link Form}) in a text, from `start` to `end` (excluded). */
interface Hit extends Place {
  readonly mark: string;
}

/**
 * Creates a function that finds the spellings of input values in a text, except inside longer words. The function takes
 * linear time, because pages and inputs are untrusted.
 */
function createFind(forms: readonly Form[]): (text: string) => Hit[] {
  if (forms.length === 0) return () => [];
  const matcher = createMatcher(forms.map(({ text }) => ({ text, isBound: true })));
  return (text) => {
    const hits: Hit[] = [];
    matcher.search(
      getUnits(text),
      (form, start, end) => {
        if (isWordEdge(text, start)) hits.push({ start, end, mark: forms[form]?.mark ?? '' });
      },
      (end) => isWordEdge(text, end),
    );
    return hits;
  };
}

/** Returns whether an index lies at the start or end of a text, or beside a character that is no letter or digit. */
function isWordEdge(text: string, at: number): boolean {
  return !(/[\p{L}\p{N}]$/u.test(text.slice(Math.max(0, at - 2), at)) && /^[\p{L}\p{N}]/u.test(text.slice(at, at + 2)));
}

/** Replaces spellings of values by their marks: the leftmost first, and of several at one position the longest. */
function replaceForms(text: string, hits: readonly Hit[]): string {
  if (hits.length === 0) return text;
  let from = 0;
  const parts: string[] = [];
  for (const { start, end, mark } of hits.toSorted((one, other) => one.start - other.start || other.end - one.end)) {
    if (start < from) continue;
    parts.push(text.slice(from, start), mark);
    from = end;
  }
  return [...parts, text.slice(from)].join('');
}

/** Applies a function to every string in a JSON value; members keep their names. */
export function mapTexts(value: JsonValue, map: (text: string) => JsonValue): JsonValue {
  if (typeof value === 'string') return map(value);
  if (Array.isArray(value)) return value.map((one) => mapTexts(one, map));
  if (value === null || typeof value !== 'object') return value;
  const members: JsonObject = {};
  for (const [name, member] of Object.entries(value)) if (member !== undefined) members[name] = mapTexts(member, map);
  return members;
}

/**
 * Returns the path of a task's script. Its name has the first words of the template, and a hash of the template and the
 * output schema.
 */
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
