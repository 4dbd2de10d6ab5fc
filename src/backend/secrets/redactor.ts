import type { JsonObject, JsonValue } from '#domain/json.ts';
import { isJsonObject } from '#domain/json.ts';
import { type Matcher, createMatcher } from './matcher.ts';
import { placeholdersIn } from './placeholder.ts';
import { type Reading, isWordAt, patternsOf, readingsOf } from './readings.ts';
import type { Secret } from './secret.ts';
import { type Span, createSpans, merged, outside, replaced } from './spans.ts';

/** Takes the values of secrets out of what is shown or kept. */
export interface Redactor {
  /** The text with the placeholder of its name in place of each value. */
  text(text: string): string;
  /** The same for every text in a value, names of members included. */
  json<Value extends JsonValue>(value: Value): Value;
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
  const text = (given: string): string => {
    if (forms.length === 0) return given;
    const spans = readingsOf(given).flatMap((reading) => spansIn(reading, matcher, forms));
    return replaced(given, outside(placeholdersIn(given, names), merged(spans)));
  };
  return {
    text,
    longest: secrets.reduce((most, { value }) => Math.max(most, encodeURIComponent(value.toWellFormed()).length), 0),
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- every value keeps its kind: texts become texts
    json: <Value extends JsonValue>(value: Value) => (forms.length === 0 ? value : (mapTexts(value, text) as Value)),
  };
}

interface Form {
  readonly name: string;
  readonly isBound: boolean;
}

/** Returns where values stand in the source of a reading, in order and apart from each other. */
function spansIn(reading: Reading, matcher: Matcher, forms: readonly Form[]): readonly Span[] {
  const { units, starts, ends } = reading;
  const spans = createSpans();
  matcher.search(units, (pattern, start, end) => {
    const form = forms[pattern];
    if (form === undefined || (form.isBound && (isWordAt(reading, start - 1) || isWordAt(reading, end)))) return;
    spans.add({ name: form.name, start: starts[start] ?? 0, end: ends[end - 1] ?? 0 });
  });
  return spans.all;
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
