import { parse } from 'yaml';

/**
 * Instructions for testing a code block, for blocks that should not simply end with exit code 0. The comment `<!-- run:
 * { exit: 1 } -->` before the block contains them; readers do not see it.
 */
export interface Marker {
  /**
   * Text that a command prints when it is ready, for a command that does not end by itself. After the last block the
   * test ends it like Ctrl-C.
   */
  readonly stays?: string;
  /** The exit code of the block. @defaultValue 0 */
  readonly exit?: number;
  /** Text that the block prints to standard output or standard error. */
  readonly shows?: string;
  /** Repeats the block until it succeeds, for at most a minute, because the block reads what another program writes. */
  readonly soon?: true;
  /** Name of the file whose content the block shows, below the folder in which the commands run. */
  readonly file?: string;
  /** Environment variables that simulate a machine. */
  readonly with?: Readonly<Record<string, string>>;
  /** File in the checkout that runs the same commands: `.ci/run` or a test. The block itself is not run. */
  readonly by?: string;
  /** Key of `neverReasons`: why the block is not run. */
  readonly never?: string;
}

/** Reasons why a block is not run. */
const neverReasons: Readonly<Record<string, string>> = {
  root: 'changes the machine as root',
  containers: 'needs a builder of containers and its registry',
  registry: 'installs from a registry of packages',
  machines: 'needs several machines',
  postgresql: 'needs a PostgreSQL server with a database of that name',
  output: 'shows what a command prints',
  python: 'needs Python 3; a test runs it where Python is present',
};

/** A fenced block of a Markdown file. */
export interface Block {
  /** File and line of the fence, such as `README.md:12`. */
  readonly place: string;
  /** First word after the fence; empty without one. */
  readonly language: string;
  readonly text: string;
  readonly marker: Marker;
}

const fence = /^(?<indent> *)```(?<language>\w*)\s*$/;
const comment = /^ *<!-- run: (?<flow>\{.*\}) -->\s*$/;
const members = new Set(['stays', 'exit', 'shows', 'soon', 'file', 'with', 'by', 'never']);

/**
 * Returns the fenced blocks of a text in order. Throws for an unclosed fence, an unknown member of a marker, and an
 * unknown reason in `never`.
 */
export function readBlocks(file: string, markdown: string): Block[] {
  const lines = markdown.split('\n');
  const blocks: Block[] = [];
  for (let at = 0; at < lines.length; at += 1) {
    const opening = fence.exec(lines[at] ?? '')?.groups;
    if (opening === undefined) continue;
    const place = `${file}:${at + 1}`;
    const end = lines.findIndex((line, index) => index > at && line.trim() === '```');
    if (end === -1) throw new Error(`${place}: the block is not closed`);
    const indent = opening['indent']?.length ?? 0;
    const text = lines.slice(at + 1, end).map((line) => line.slice(indent));
    const marker = readMarker(place, lines[at - 1] ?? '');
    blocks.push({ place, language: opening['language'] ?? '', text: text.join('\n'), marker });
    at = end;
  }
  return blocks;
}

function readMarker(place: string, line: string): Marker {
  const flow = comment.exec(line)?.groups?.['flow'];
  if (flow === undefined) return {};
  const marker: Marker = parse(flow);
  for (const name of Object.keys(marker))
    if (!members.has(name)) throw new Error(`${place}: no marker knows "${name}": ${[...members].join(', ')}`);
  if (marker.never !== undefined && neverReasons[marker.never] === undefined)
    throw new Error(`${place}: no reason "${marker.never}": ${Object.keys(neverReasons).join(', ')}`);
  return marker;
}
