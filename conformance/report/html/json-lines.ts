import { type JsonValue, isJsonObject } from '../../core/json.ts';
import { stepsOfPointer } from '../../core/json-pointer.ts';

/** One line of a JSON text that is printed for people. */
export interface JsonLine {
  /** Two spaces per level. */
  indent: number;
  /** Name of the member that the line begins, with its quotes; undefined for an item of an array or a closing bracket. */
  name?: string;
  /** What follows the name. */
  value: string;
  kind: 'text' | 'number' | 'word' | 'bracket' | 'missing';
  /** True for every line of the member at fault. */
  marked: boolean;
}

/** Longest text of one value that is shown in full. */
const valueMax = 600;
/** Longest name of a member that is shown in full. */
const nameMax = 200;
/** Brackets within brackets that are shown. */
const depthMax = 40;

interface Place {
  indent: number;
  name?: string;
  /** Steps that are left to the member at fault; undefined outside of its way. */
  way: readonly string[] | undefined;
  marked: boolean;
  /** What stands behind the value. */
  comma: string;
}

/** A JSON value as lines, those of the member at a JSON pointer marked; a member that is missing gets a line of its own. */
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
