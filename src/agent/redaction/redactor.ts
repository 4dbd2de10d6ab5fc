import { setImmediate } from 'node:timers/promises';
import { TabError } from '#browsers/tab/tab.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '#lib/json.ts';
import { FileError } from '../files.ts';
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
import { isWordAt, patternsOf, type Reading, readingsOf } from './readings.ts';
import { placeholdersIn, type Secret } from './secrets.ts';

/** Takes the values of secrets out of what is shown or kept. */
export interface Redactor {
  /** Returns a text with the placeholder of its name in place of each value. For texts of at most some 100,000 characters. */
  text(text: string): string;
  /**
   * Redacts every text in a value, names of members included. Lets the event loop do other work after every 32,768 characters, so
   * that texts of any length and number are allowed.
   */
  paced<Value extends JsonValue>(value: Value): Promise<Value>;
  /** Characters of the longest value, in its longest usual spelling. */
  readonly longest: number;
}

/** Shorter values are looked for only where they stand alone: inside of words and numbers they are no secret. */
const FREELY_FROM = 4;

/**
 * Creates a redactor that knows each value in any spelling (see `readingsOf`). Values that overlap are replaced together, by the
 * placeholder of the first; of values that begin at one place the longest is named. What stands in a placeholder is the name of
 * a secret and no value, so that a text can be redacted twice. Takes time linear in the values, then linear in each text.
 */
export function createRedactor(secrets: readonly Secret[]): Redactor {
  const forms = secrets.flatMap(({ name, value }) =>
    patternsOf(value).map((text) => ({
      name,
      text,
      isBound: Math.min(value.trim().length, text.length) < FREELY_FROM,
    })),
  );
  const names = new Set(secrets.map(({ name }) => name));
  const matcher = createMatcher(forms);
  const lengthMax = secrets.reduce((most, { value }) => Math.max(most, value.length), 0);
  const spansFrom = (given: string, place: Place): readonly Span[] =>
    spansWithin(given, { place, matcher, forms, reach: CONTEXT + SPELLING_MAX * lengthMax });
  const text = (given: string): string => {
    if (forms.length === 0) return given;
    const spans = spansFrom(given, { start: 0, end: given.length });
    return replaced(given, outside(placeholdersIn(given, names), spans));
  };
  let sincePause = 0;
  const pause = async (characters: number): Promise<void> => {
    sincePause += characters + TEXT_COST;
    if (sincePause <= SLICE) return;
    sincePause = 0;
    await setImmediate();
  };
  const pacedText = async (given: string): Promise<string> => {
    await pause(Math.min(given.length, SLICE));
    if (given.length <= SLICE) return text(given);
    const spans = createSpans();
    for (let start = 0; start < given.length; start += SLICE) {
      for (const span of spansFrom(given, { start, end: start + SLICE })) spans.add(span);
      await pause(SLICE);
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

/** Characters that are redacted without a pause. */
const SLICE = 32_768;
/** What a text costs beside its characters, in characters. */
const TEXT_COST = 16;
/** Characters around a slice that decide how its own are read: marks, invisible characters, an escape that has begun. */
const CONTEXT = 256;
/** Characters that spell one of a value in the longest usual spelling: JSON in an address, an address in an address. */
const SPELLING_MAX = 16;

interface Search {
  /** Where the values begin that are looked for. */
  readonly place: Place;
  readonly matcher: Matcher;
  readonly forms: readonly Form[];
  /** Characters behind the place in which a value may go on. */
  readonly reach: number;
}

/** Returns where values stand that begin in a part of a text, in order and apart from each other. */
function spansWithin(given: string, { place, matcher, forms, reach }: Search): readonly Span[] {
  const from = Math.max(0, place.start - CONTEXT);
  const part = given.slice(from, place.end + reach);
  const isOwned = ({ start }: Place): boolean => start + from >= place.start && start + from < place.end;
  const spans = readingsOf(part).flatMap((reading) => spansIn(reading, { matcher, forms, isOwned }));
  return merged(spans).map(({ name, start, end }) => ({ name, start: start + from, end: end + from }));
}

interface Form {
  readonly name: string;
  readonly isBound: boolean;
}

interface ReadingSearch extends Pick<Search, 'matcher' | 'forms'> {
  readonly isOwned: (place: Place) => boolean;
}

/** Returns where values stand in the source of a reading, in order and apart from each other. */
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

/** Maps the texts of a value one after another. */
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

/** Does something whose errors hold no value. */
export function safelyBy(redactor: Redactor): <Found>(act: () => Promise<Found>) => Promise<Found> {
  return async (act) => {
    try {
      return await act();
    } catch (error) {
      throw safeError(error, redactor);
    }
  };
}

/** The same error without values, and without a cause: the words of whatever failed may hold what was being typed. */
export function safeError(error: unknown, redactor: Redactor): Error {
  const message = redactor.text(error instanceof Error ? error.message : String(error));
  if (error instanceof TabError) return new TabError(message);
  if (error instanceof FileError) return new FileError(message);
  if (error instanceof MailError) return new MailError(message);
  const safe = new Error(message);
  if (error instanceof Error) {
    safe.name = error.name;
    safe.stack = redactor.text(error.stack ?? '');
  }
  return safe;
}
