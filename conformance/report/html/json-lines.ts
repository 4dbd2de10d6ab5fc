import { type JsonValue, isJsonObject } from '../../core/json.ts';
import { stepsOfPointer } from '../../core/json-pointer.ts';

/** One line of a formatted JSON text. */
export interface JsonLine {
  /** Nesting level; each is two spaces wide. */
  indent: number;
  /** Quoted name of the member that starts on the line; undefined for an array item or a closing bracket. */
  name?: string;
  /** Text after the name. */
  value: string;
  kind: 'text' | 'number' | 'word' | 'bracket' | 'missing';
  /** True for every line of the offending member. */
  marked: boolean;
}

/** Maximum length of a value that is shown in full, in characters. */
const valueMax = 600;
/** Maximum length of a member name that is shown in full, in characters. */
const nameMax = 200;
/** Maximum nesting depth that is shown. */
const depthMax = 40;

interface Place {
  indent: number;
  name?: string;
  /** Remaining steps to the offending member; undefined outside of its path. */
  way: readonly string[] | undefined;
  marked: boolean;
  /** Text after the value: a comma or nothing. */
  comma: string;
}

/**
 * Formats a JSON value as lines and marks those of the member at a JSON pointer; a missing member gets its own line.
 */
export function jsonLines(value: JsonValue, member?: string): JsonLine[] {
  const way = member === undefined || member === '' ? undefined : stepsOfPointer(member);
  return linesOf(value, { indent: 0, way, marked: false, comma: '' });
}

function linesOf(value: JsonValue, place: Place): JsonLine[] {
  if (Array.isArray(value))
    return bracketed(
      value.map((item, index) => [String(index), item]),
      place,
      '[]',
    );
  if (isJsonObject(value)) return bracketed(Object.entries(value), place, '{}');
  const text = JSON.stringify(value);
  const kind = typeof value === 'string' ? 'text' : typeof value === 'number' ? 'number' : 'word';
  return [line(place, shortened(text, valueMax) + place.comma, kind)];
}

function bracketed(entries: readonly [string, JsonValue][], place: Place, brackets: '[]' | '{}'): JsonLine[] {
  const [open = '', close = ''] = brackets;
  const missing = missingLine(entries, place);
  if (place.indent >= depthMax) return [line(place, `${open}…${close}${place.comma}`, 'bracket')];
  if (entries.length === 0 && missing.length === 0) return [line(place, open + close + place.comma, 'bracket')];
  const inner = entries.flatMap(([key, value], index) => {
    const onWay = place.way?.[0] === key;
    const rest = onWay ? place.way?.slice(1) : undefined;
    return linesOf(value, {
      indent: place.indent + 1,
      ...(brackets === '{}' ? { name: shortened(JSON.stringify(key), nameMax) } : {}),
      way: rest,
      marked: place.marked || rest?.length === 0,
      comma: index === entries.length - 1 ? '' : ',',
    });
  });
  const { name: _name, ...bare } = place;
  return [line(place, open, 'bracket'), ...missing, ...inner, line(bare, close + place.comma, 'bracket')];
}

function shortened(text: string, max: number): string {
  return text.length > max ? `${text.slice(0, max)}… (${text.length} characters)` : text;
}

function missingLine(entries: readonly [string, JsonValue][], { indent, way }: Place): JsonLine[] {
  const [next] = way ?? [];
  if (next === undefined || entries.some(([key]) => key === next)) return [];
  return [{ indent: indent + 1, value: `${shortened(next, nameMax)} is missing`, kind: 'missing', marked: true }];
}

function line({ indent, name, marked }: Omit<Place, 'way' | 'comma'>, value: string, kind: JsonLine['kind']): JsonLine {
  return { indent, ...(name === undefined ? {} : { name }), value, kind, marked };
}
