import type { JsonValue } from '../../core/json.ts';
import { type JsonLine, jsonLines } from './json-lines.ts';
import { type Markup, html } from './markup.ts';

/** Maximum number of shown characters of one body. */
const bodyMax = 10_000;

/** A body to render. */
export interface Body {
  text: string;
  /** The text as JSON; undefined if it is not JSON. */
  json: JsonValue | undefined;
  /** JSON pointer of the member at fault. */
  member?: string | undefined;
}

/**
 * Renders a body: JSON is formatted and the offending member marked. A long body is cut around that member, with a
 * note.
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

// One span per part. The whole offending line is marked; its sentence is for readers without colour vision.
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

/** Returns the index after the last line that fits, starting from a line. */
function fitting(lines: readonly JsonLine[], from: number, room: number): number {
  let used = 0;
  const end = lines.findIndex((line, index) => {
    if (index < from) return false;
    used += line.indent * 2 + (line.name?.length ?? 0) + line.value.length + 1;
    return used > room;
  });
  return end === -1 ? lines.length : end;
}
