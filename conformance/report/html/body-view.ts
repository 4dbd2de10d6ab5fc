import { type JsonValue, isJsonObject, splitPointer } from '../../core/json.ts';
import { type Markup, html } from './markup.ts';

/** Maximum number of shown characters of one body. */
const bodyMax = 10_000;

/** A body to render. */
interface Body {
  text: string;
  /** The text as JSON; undefined if it is not JSON. */
  json: JsonValue | undefined;
  /** JSON pointer of the member at fault. */
  member?: string | undefined;
}

/**
 * Renders a body. JSON is formatted, and the offending member is highlighted. Of a long text, only the beginning is
 * rendered; of long JSON, the beginning and the lines around the offending member. A note says how much is omitted.
 */
export function bodyView({ text, json, member }: Body): Markup {
  if (text === '') return html`<p class="quiet">no body</p>`;
  if (json === undefined) return html`<pre tabindex="0"><code>${text.slice(0, bodyMax)}</code></pre>${cutNote(text)}`;
  const { lines, skipped } = bounded(jsonLines(json, member));
  const shown = lines.map((line) => (line === undefined ? gap(skipped) : lineView(line)));
  return html`<pre tabindex="0"><code>${shown}</code></pre>${cutNote(text)}`;
}

function cutNote(text: string): Markup | undefined {
  if (text.length <= bodyMax) return undefined;
  return html`<p class="quiet cut">The body has ${text.length} characters; at most ${bodyMax} are shown. The JSON report has all of them.</p>`;
}

function gap(skipped: number): Markup {
  return html`<span class="gap">… ${skipped} lines are not shown …</span>
`;
}

// One span per part. The whole offending line is marked. The words `at fault` are for readers that do not see the
// colour.
function lineView({ indent, name, value, kind, marked }: JsonLine): Markup {
  const label = name === undefined ? undefined : html`<span class="name">${name}</span>: `;
  const text = html`${'  '.repeat(indent)}${label}<span class="${kind}">${value}</span>`;
  return marked
    ? html`<mark><span class="unseen">at fault: </span>${text}</mark>
`
    : html`${text}
`;
}

interface Bounded {
  /** The shown lines; undefined marks the gap. */
  lines: readonly (JsonLine | undefined)[];
  skipped: number;
}

// The offending member must be visible: the lines around it are never cut.
function bounded(lines: readonly JsonLine[]): Bounded {
  const first = lines.findIndex(({ marked }) => marked);
  const head = fitting(lines, 0, first === -1 ? bodyMax : bodyMax / 2);
  if (head === lines.length) return { lines, skipped: 0 };
  const from = Math.max(head, first - 5);
  if (first === -1) return { lines: [...lines.slice(0, head), undefined], skipped: lines.length - head };
  const until = fitting(lines, from, bodyMax / 2);
  const skipped = from - head + (lines.length - until);
  const after = until < lines.length && from === head ? [undefined] : [];
  const between = from > head ? [undefined] : [];
  return { lines: [...lines.slice(0, head), ...between, ...lines.slice(from, until), ...after], skipped };
}

/** Returns the index after the last of the lines, counted from index `from`, that fit into `room` characters. */
function fitting(lines: readonly JsonLine[], from: number, room: number): number {
  let used = 0;
  const end = lines.findIndex((line, index) => {
    if (index < from) return false;
    used += line.indent * 2 + (line.name?.length ?? 0) + line.value.length + 1;
    return used > room;
  });
  return end === -1 ? lines.length : end;
}

/** One line of a formatted JSON text. */
interface JsonLine {
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
  /**
   * Names and indexes that lead from the current value to the offending member; undefined if the current value does not
   * contain this member.
   */
  way: readonly string[] | undefined;
  marked: boolean;
  /** Text after the value: a comma or nothing. */
  comma: string;
}

/**
 * Formats a JSON value as lines and marks the lines of the member at a JSON pointer; a missing member gets its own
 * line.
 */
function jsonLines(value: JsonValue, member?: string): JsonLine[] {
  const way = member === undefined || member === '' ? undefined : splitPointer(member);
  return createLines(value, { indent: 0, way, marked: false, comma: '' });
}

function createLines(value: JsonValue, place: Place): JsonLine[] {
  if (Array.isArray(value))
    return bracketed(
      value.map((item, index) => [String(index), item]),
      place,
      '[]',
    );
  if (isJsonObject(value)) return bracketed(Object.entries(value), place, '{}');
  const text = JSON.stringify(value);
  return [makeLine(place, shortened(text, valueMax) + place.comma, lineKinds[typeof value] ?? 'word')];
}

/** Kinds of lines with a value, by the JavaScript type of the value; `word` for any other type. */
const lineKinds: Readonly<Record<string, JsonLine['kind']>> = { string: 'text', number: 'number' };

function bracketed(entries: readonly [string, JsonValue][], place: Place, brackets: '[]' | '{}'): JsonLine[] {
  const [open = '', close = ''] = brackets;
  const missing = missingLine(entries, place);
  if (place.indent >= depthMax) return [makeLine(place, `${open}…${close}${place.comma}`, 'bracket')];
  if (entries.length === 0 && missing.length === 0) return [makeLine(place, open + close + place.comma, 'bracket')];
  const inner = entries.flatMap(([key, value], index) => {
    const onWay = place.way?.[0] === key;
    const rest = onWay ? place.way?.slice(1) : undefined;
    return createLines(value, {
      indent: place.indent + 1,
      ...(brackets === '{}' ? { name: shortened(JSON.stringify(key), nameMax) } : {}),
      way: rest,
      marked: place.marked || rest?.length === 0,
      comma: index === entries.length - 1 ? '' : ',',
    });
  });
  const { name: _name, ...bare } = place;
  return [makeLine(place, open, 'bracket'), ...missing, ...inner, makeLine(bare, close + place.comma, 'bracket')];
}

function shortened(text: string, max: number): string {
  return text.length > max ? `${text.slice(0, max)}… (${text.length} characters)` : text;
}

function missingLine(entries: readonly [string, JsonValue][], { indent, way }: Place): JsonLine[] {
  const [next] = way ?? [];
  if (next === undefined || entries.some(([key]) => key === next)) return [];
  return [{ indent: indent + 1, value: `${shortened(next, nameMax)} is missing`, kind: 'missing', marked: true }];
}

function makeLine(
  { indent, name, marked }: Omit<Place, 'way' | 'comma'>,
  value: string,
  kind: JsonLine['kind'],
): JsonLine {
  return { indent, ...(name === undefined ? {} : { name }), value, kind, marked };
}
