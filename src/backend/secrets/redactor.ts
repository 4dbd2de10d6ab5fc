import type { JsonObject, JsonValue } from '#domain/json.ts';
import { isJsonObject } from '#domain/json.ts';
import { PLACEHOLDER, placeholderOf } from './placeholder.ts';
import type { Secret } from './secret.ts';
import { anySpelling, escaped } from './spellings.ts';

/** Takes the values of secrets out of what is shown or kept. */
export interface Redactor {
  /** The text with the placeholder of its name in place of each value. */
  text(text: string): string;
  /** The same for every text in a value, names of members included. */
  json<Value extends JsonValue>(value: Value): Value;
  /** Characters of the longest value, in its longest usual spelling. */
  readonly longest: number;
}

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
 * Knows a value in any spelling (see `anySpelling`). Where values overlap the longer one is named. What stands in a placeholder
 * is the name of a secret and no value, so that a text can be redacted twice.
 */
export function createRedactor(secrets: readonly Secret[]): Redactor {
  const forms = secrets.flatMap(formOf);
  const names = new Set(secrets.map(({ name }) => name));
  const text = (given: string): string => {
    if (forms.length === 0) return given;
    return replaced(given, outside(placeholdersIn(given, names), spansIn(given, forms)));
  };
  return {
    text,
    longest: Math.max(0, ...secrets.map(({ value }) => encodeURIComponent(value.toWellFormed()).length)),
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
  const names = new Set(secrets.map(({ name }) => name));
  const named = [...placeholdersIn(task, names), ...mentionsIn(task, names)];
  return replaced(task, outside(named, spansIn(task, forms)));
}

const opening = '["“«`\'‘]';
const closing = '["”»`\'’]';
const couldBeAnyWord = /^(\p{L}{1,11}|.{0,3})$/su;

function inTask(value: string): RegExp {
  const literal = escaped(value);
  const quotation = `(?<!\\bsecret\\s{1,9}${opening})(?<=${opening})${literal}(?=${closing})`;
  return new RegExp(couldBeAnyWord.test(value) ? quotation : literal, 'gu');
}

function formOf({ name, value }: Secret): Form[] {
  const shown = value.trim();
  return shown === '' ? [] : [{ name, pattern: anySpelling(shown) }];
}

interface Place {
  readonly start: number;
  readonly end: number;
}

/** Where a text speaks of a secret by its placeholder. */
function placeholdersIn(text: string, names: ReadonlySet<string>): Place[] {
  return Array.from(text.matchAll(PLACEHOLDER)).flatMap(({ 0: whole, index, groups }) =>
    names.has(groups?.['name'] ?? '') ? [{ start: index, end: index + whole.length }] : [],
  );
}

/** Where a task speaks of a secret by its name, as in: the secret 'password'. */
function mentionsIn(task: string, names: ReadonlySet<string>): Place[] {
  return Array.from(names).flatMap((name) => {
    const mention = new RegExp(`\\bsecret\\s+(?:${opening}${escaped(name)}${closing}|${escaped(name)}(?!\\S))`, 'giu');
    return Array.from(task.matchAll(mention), ({ 0: whole, index }) => ({ start: index, end: index + whole.length }));
  });
}

/** The spans that lie in none of some places. */
function outside(places: readonly Place[], spans: readonly Span[]): Span[] {
  return spans.filter(({ start, end }) => !places.some((place) => place.start <= start && end <= place.end));
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
