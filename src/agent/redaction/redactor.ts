import { setImmediate } from 'node:timers/promises';
import { TabError } from '#browsers/tab/tab.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '#lib/json.ts';
import { FileError } from '../files.ts';
import { IntegrationError } from '../integrations/integration.ts';
import { MailError } from '../mailbox.ts';
import {
  createMatcher,
  createSpans,
  type Matcher,
  merged,
  type OnHit,
  outside,
  type Place,
  replaced,
  type Span,
} from './matcher.ts';
import { isWordAt, getPatterns, type Reading, getReadings } from './readings.ts';
import { placeholdersIn, type Secret } from './secrets.ts';

/** A redactor, which replaces the values of secrets in text that is shown or stored. */
export interface Redactor {
  /**
   * Returns a text with placeholders in place of secret values. Blocks the event loop, so use it only for texts of at
   * most 100,000 characters.
   */
  text(text: string): string;
  /**
   * Redacts every string in a JSON value, member names included. Yields to the event loop after each slice of
   * characters (`slice`), so texts may have any length and number.
   */
  paced<Value extends JsonValue>(value: Value): Promise<Value>;
  /** Number of characters of the longest percent-encoded secret value; 0 without secrets. */
  readonly longest: number;
}

/** Minimum length for matches inside of words and numbers. Shorter values are found only as separate words. */
const freelyFrom = 4;

/**
 * Creates a redactor that finds each secret value in any spelling (see `getReadings`). Overlapping values are replaced
 * together by the placeholder of the first value; of values with equal starts, by the placeholder of the longest.
 * Placeholders are not redacted, so a text can be redacted twice. The creation takes linear time in the values, and
 * each redaction in its text.
 */
export function createRedactor(secrets: readonly Secret[]): Redactor {
  const forms = secrets.flatMap(({ name, value }) =>
    getPatterns(value).map(({ text, weight }) => ({ name, text, isBound: weight < freelyFrom })),
  );
  const names = new Set(secrets.map(({ name }) => name));
  const matcher = createMatcher(forms);
  const lengthMax = secrets.reduce((most, { value }) => Math.max(most, value.length), 0);
  const spansFrom = (given: string, place: Place): readonly Span[] =>
    spansWithin(given, { place, matcher, forms, reach: context + spellingMax * lengthMax });
  const text = (given: string): string => {
    if (forms.length === 0) return given;
    const spans = spansFrom(given, { start: 0, end: given.length });
    return replaced(given, outside(placeholdersIn(given, names), spans));
  };
  let sincePause = 0;
  const pause = async (characters: number): Promise<void> => {
    sincePause += characters + textCost;
    if (sincePause <= slice) return;
    sincePause = 0;
    await setImmediate();
  };
  const pacedText = async (given: string): Promise<string> => {
    await pause(Math.min(given.length, slice));
    if (given.length <= slice) return text(given);
    const spans = createSpans();
    for (let start = 0; start < given.length; start += slice) {
      for (const span of spansFrom(given, { start, end: start + slice })) spans.add(span);
      await pause(slice);
    }
    return replaced(given, outside(placeholdersIn(given, names), spans.all));
  };
  return {
    text,
    longest: secrets.reduce((most, { value }) => Math.max(most, encodeURIComponent(value.toWellFormed()).length), 0),
    paced: async <Value extends JsonValue>(value: Value) =>
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- every value keeps its kind: texts become texts
      forms.length === 0 ? value : ((await mapTexts(value, pacedText)) as Value),
  };
}

/** Number of characters that are redacted without a pause. */
const slice = 32_768;
/** Fixed cost of redacting a text, counted as additional characters. */
const textCost = 16;
/**
 * Number of characters before and after a slice that can change its decoded form: marks, invisible characters, parts of
 * escapes.
 */
const context = 256;
/** Maximum number of characters that spell one character of a value: JSON in a URL, or a URL in a URL. */
const spellingMax = 16;

interface Search {
  /** Range of the text; only secret values that begin in the range are found. */
  readonly place: Place;
  readonly matcher: Matcher;
  readonly forms: readonly Form[];
  /** A value may continue after the end of the range. The search reads at most this number of characters there. */
  readonly reach: number;
}

/** Returns the disjoint ranges of secret values that begin in a part of a text, in order. */
function spansWithin(given: string, { place, matcher, forms, reach }: Search): readonly Span[] {
  const from = Math.max(0, place.start - context);
  const part = given.slice(from, place.end + reach);
  const isOwned = ({ start }: Place): boolean => start + from >= place.start && start + from < place.end;
  const spans = getReadings(part).flatMap((reading) => spansIn(reading, { matcher, forms, isOwned }));
  return merged(spans).map(({ name, start, end }) => ({ name, start: start + from, end: end + from }));
}

interface Form {
  readonly name: string;
  readonly isBound: boolean;
}

interface ReadingSearch extends Pick<Search, 'matcher' | 'forms'> {
  readonly isOwned: (place: Place) => boolean;
}

/** Returns the disjoint ranges of secret values in a reading, as ranges of the original text, in order. */
function spansIn(reading: Reading, { matcher, forms, isOwned }: ReadingSearch): readonly Span[] {
  const { units, starts, ends } = reading;
  const spans = createSpans();
  const onHit: OnHit = (pattern, start, end) => {
    const form = forms[pattern];
    if (form === undefined || (form.isBound && isWordAt(reading, start - 1))) return;
    const span = { name: form.name, start: starts[start] ?? 0, end: ends[end - 1] ?? 0 };
    if (isOwned(span)) spans.add(span);
  };
  matcher.search(units, onHit, (end) => !isWordAt(reading, end));
  return spans.all;
}

type MapText = (text: string) => Promise<string>;

/** Maps the strings of a JSON value one after another. */
async function mapTexts(value: JsonValue, map: MapText): Promise<JsonValue> {
  if (typeof value === 'string') return map(value);
  if (!Array.isArray(value)) return isJsonObject(value) ? mapMembers(value, map) : value;
  const mapped: JsonValue[] = [];
  for (const one of value) mapped.push(await mapTexts(one, map));
  return mapped;
}

async function mapMembers(object: JsonObject, map: MapText): Promise<JsonObject> {
  const mapped: [string, JsonValue][] = [];
  for (const [name, member] of Object.entries(object)) mapped.push([await map(name), await mapTexts(member, map)]);
  return Object.fromEntries(mapped);
}

/** Returns a function that runs an action and removes secret values from the errors of the action. */
export function safelyBy(redactor: Redactor): <Found>(act: () => Promise<Found>) => Promise<Found> {
  return async (act) => {
    try {
      return await act();
    } catch (error) {
      throw safeError(error, redactor);
    }
  };
}

/** Returns the error without secret values and without a cause, which may contain the typed value. */
export function safeError(error: unknown, redactor: Redactor): Error {
  const message = redactor.text(error instanceof Error ? error.message : String(error));
  if (error instanceof TabError) return new TabError(message);
  if (error instanceof FileError) return new FileError(message);
  if (error instanceof MailError) return new MailError(message);
  if (error instanceof IntegrationError) return new IntegrationError(message);
  const safe = new Error(message);
  if (error instanceof Error) {
    safe.name = error.name;
    safe.stack = redactor.text(error.stack ?? '');
  }
  return safe;
}
