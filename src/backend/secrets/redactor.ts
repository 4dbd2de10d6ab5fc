import type { JsonObject, JsonValue } from '#domain/json.ts';
import { isJsonObject } from '#domain/json.ts';
import { placeholderOf } from './placeholder.ts';
import type { Secret } from './secret.ts';

/** Takes the values of secrets out of what is shown or kept. */
export interface Redactor {
  /** The text with the placeholder of its name in place of each value. */
  text(text: string): string;
  /** The same for every text in a value, names of members included. */
  json<Value extends JsonValue>(value: Value): Value;
}

/** Shorter values are replaced only where they stand alone: inside of words and numbers they are no secret, and nothing could be read. */
const FREELY_FROM = 4;

interface Form {
  readonly name: string;
  readonly pattern: RegExp;
}

interface Span {
  readonly start: number;
  readonly end: number;
  readonly name: string;
}

/**
 * Knows a value as it is, in any case, with any white space between its words, and as it stands in addresses, forms and JSON.
 * Where values overlap the longer one is named.
 */
export function createRedactor(secrets: readonly Secret[]): Redactor {
  const forms = secrets.flatMap(formsOf);
  const text = (given: string): string => (forms.length === 0 ? given : replaced(given, spansIn(given, forms)));
  return {
    text,
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- every value keeps its kind: texts become texts
    json: <Value extends JsonValue>(value: Value) => (forms.length === 0 ? value : (mapTexts(value, text) as Value)),
  };
}

/**
 * A task as it is kept and shown: a value that its own text names is replaced by its placeholder, which means the same to the
 * agent. Exactly as it is written; what could be any word or number only as a whole quotation, and never as the name of a secret.
 */
export function hideInTask(task: string, secrets: readonly Secret[]): string {
  const forms = secrets.map(({ name, value }) => ({ name, pattern: inTask(value) }));
  return replaced(task, spansIn(task, forms));
}

const opening = '["“«`\'‘]';
const closing = '["”»`\'’]';
const couldBeAnyWord = /^(\p{L}{1,11}|.{0,3})$/su;

function inTask(value: string): RegExp {
  const literal = escaped(value);
  const quotation = `(?<!\\bsecret\\s{1,9}${opening})(?<=${opening})${literal}(?=${closing})`;
  return new RegExp(couldBeAnyWord.test(value) ? quotation : literal, 'gu');
}

function formsOf({ name, value }: Secret): Form[] {
  const shown = value.trim();
  if (shown === '') return [];
  const written = [
    shown,
    encodeURIComponent(shown.toWellFormed()),
    formEncoded(shown),
    JSON.stringify(shown).slice(1, -1),
  ];
  return [...new Set(written)].map((form) => ({ name, pattern: patternOf(form, shown.length) }));
}

function formEncoded(value: string): string {
  return new URLSearchParams({ value }).toString().slice('value='.length);
}

function patternOf(form: string, length: number): RegExp {
  const literal = escaped(form).replaceAll(/\s+/g, String.raw`\s+`);
  const bounded = length < FREELY_FROM ? String.raw`(?<![\p{L}\p{N}])${literal}(?![\p{L}\p{N}])` : literal;
  return new RegExp(bounded, 'giu');
}

function escaped(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`);
}

/** Where values stand, in order and apart from each other; of those that overlap the first, and from one place the longest. */
function spansIn(text: string, forms: readonly Form[]): Span[] {
  const all = forms.flatMap(({ name, pattern }) =>
    Array.from(
      text.matchAll(pattern),
      (found): Span => ({ name, start: found.index, end: found.index + found[0].length }),
    ),
  );
  const sorted = all.toSorted((one, other) => one.start - other.start || other.end - one.end);
  const merged: Span[] = [];
  for (const span of sorted) {
    const last = merged.at(-1);
    if (last === undefined || span.start >= last.end) merged.push(span);
    // What reaches further than the one before is hidden with it.
    else if (span.end > last.end) merged[merged.length - 1] = { ...last, end: span.end };
  }
  return merged;
}

function replaced(text: string, spans: readonly Span[]): string {
  let from = 0;
  let shown = '';
  for (const { start, end, name } of spans) {
    shown += text.slice(from, start) + placeholderOf(name);
    from = end;
  }
  return shown + text.slice(from);
}

function mapTexts(value: JsonValue, map: (text: string) => string): JsonValue {
  if (typeof value === 'string') return map(value);
  if (Array.isArray(value)) return value.map((one) => mapTexts(one, map));
  return isJsonObject(value) ? mapMembers(value, map) : value;
}

function mapMembers(object: JsonObject, map: (text: string) => string): JsonObject {
  return Object.fromEntries(
    Object.entries(object).map(([name, member]) => [map(name), member === undefined ? member : mapTexts(member, map)]),
  );
}
