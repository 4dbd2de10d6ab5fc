import { closeSync, openSync, readSync } from 'node:fs';
import { isUtf8 } from 'node:buffer';
import type { CST, Document, Node } from 'yaml';
import { BoundedBytes, measureJson, suiteLimit } from './bounds.ts';
import { type JsonValue, splitPointer } from './json.ts';
import { SuiteError } from './suite-error.ts';
import { nearestWord } from './nearest-word.ts';
import { lazyModules } from './lazy-modules.ts';

/** Requirements of a command for an input file that the user names, and words for messages about this file. */
export interface FileUse {
  /** The expected file as a noun phrase for messages, such as `a target file`. */
  readonly expected: string;
  /** The next step for a file that cannot be used, as an imperative. */
  readonly next: string;
  /** Maximum number of bytes that are read. @defaultValue the limit `dataFile` */
  readonly bytesMax?: number;
  /** Maximum number of values in a YAML file. @defaultValue the limit `dataFileValues` */
  readonly valuesMax?: number;
  /** True if a file of 0 bytes is accepted. @defaultValue false */
  readonly mayBeEmpty?: boolean;
  /** True if messages must not repeat text of the file. @defaultValue false */
  readonly holdsSecrets?: boolean;
}

/** A {@link FileUse} with the name of the file, for messages. */
export interface NamedUse extends FileUse {
  readonly name: string;
}

/** A problem at a location in a parsed file. */
export interface FileProblem {
  /** Path of the problem in the parsed file: names of members and indexes of items. */
  readonly path: readonly (string | number)[];
  readonly text: string;
  /** For an unknown member: its name, and the valid names, from which a message suggests the nearest. */
  readonly unknown?: { readonly word: string; readonly known: readonly string[] };
}

/** A parsed file that locates problems by line and column. */
export interface DataFile {
  readonly name: string;
  readonly value: unknown;
  /** The YAML nodes of the file with their source text. */
  readonly document: Document.Parsed;
  /** Returns `line L, column C` of a path, or of its nearest existing parent. */
  at(path: FileProblem['path']): string;
  /** Returns a SuiteError `usage` with the file name, and the line and column of each problem. */
  fault(problems: readonly FileProblem[]): Error;
}

/**
 * Reads a text file, or a pipe such as standard input, up to `bytesMax` bytes, without a byte order mark. Throws
 * SuiteError `usage` for a file that is missing, unreadable, a folder, too long, or empty (unless `mayBeEmpty`). Also
 * throws for NUL bytes and for bytes that are not UTF-8 text.
 */
export function readTextFile(file: string, use: FileUse): string {
  const bytes = readBytes(file, use);
  if (bytes.length === 0 && use.mayBeEmpty !== true) throw wrongFile(`an empty file at ${file}`, use);
  if (!isUtf8(bytes) || bytes.includes(0)) throw wrongFile(`bytes that are not UTF-8 text in ${file}`, use);
  // Decoding in one call: decoding in chunks takes twice as long for a recording.
  const text = bytes.toString('utf8');
  return text.startsWith('\uFEFF') ? text.slice(1) : text;
}

/**
 * Reads the bytes of a file, at most `bytesMax`. Throws SuiteError `usage`, as {@link readTextFile} does, for a file
 * that is missing, unreadable, a folder or too long.
 */
export function readBytes(file: string, use: FileUse): Buffer {
  try {
    return readWithin(file, use);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && 'syscall' in error)) throw error;
    throw wrongFile(unreadable(file, String(error.code)), use);
  }
}

function unreadable(file: string, code: string): string {
  if (code === 'ENOENT') return `no file at ${file} (ENOENT)`;
  if (code === 'EISDIR') return `a folder at ${file} (EISDIR)`;
  return `that ${file} cannot be read (${code})`;
}

function readWithin(file: string, use: FileUse): Buffer {
  const max = use.bytesMax ?? suiteLimit('dataFile');
  const descriptor = openSync(file, 'r');
  try {
    const collected = new BoundedBytes(max);
    const part = Buffer.allocUnsafe(1_048_576);
    for (;;) {
      const length = readSync(descriptor, part);
      if (length === 0) return collected.bytes();
      if (!collected.add(part.subarray(0, length))) throw wrongFile(`more than ${max} bytes in ${file}`, use);
    }
  } finally {
    closeSync(descriptor);
  }
}

function wrongFile(found: string, { expected, next }: FileUse): SuiteError {
  return new SuiteError('usage', { found, expected, next });
}

/** Reads and parses a YAML file. Throws SuiteError `usage` as {@link readTextFile} and {@link parseYamlFile} do. */
export function readYamlFile(file: string, use: FileUse): DataFile {
  return parseYamlFile(readTextFile(file, use), { ...use, name: file });
}

/**
 * Parses a YAML file with one document. Throws SuiteError `usage` with line and column for text that is not YAML, a
 * repeated member, or a second document. A text without content has the value null. Also throws for nesting above
 * `suiteJsonDepth`, more than `valuesMax` values, too many alias expansions, or an alias that contains itself.
 */
export function parseYamlFile(text: string, use: NamedUse): DataFile {
  const { Composer, LineCounter, Parser } = lazyModules.yaml();
  const lines = new LineCounter();
  const placed = (found: string, offset: number): SuiteError =>
    wrongFile(`in ${use.name}, ${formatPlace(lines.linePos(offset))}: ${found}`, use);
  const tokens = [...new Parser(lines.addNewLine).parse(text)];
  const excess = findExcess(tokens, use.valuesMax ?? suiteLimit('dataFileValues'));
  if (excess !== null) throw placed(excess.found, excess.offset);
  const documents = [...new Composer({ lineCounter: lines }).compose(tokens, true, text.length)];
  const [document, second] = documents;
  if (document === undefined) throw placed('no document', 0);
  if (second !== undefined) throw placed('a second document', second.range[0]);
  const [broken] = document.errors;
  if (broken !== undefined) {
    // The message of the parser may contain text of the file.
    const [parserMessage = ''] = use.holdsSecrets === true ? [''] : broken.message.split(/ at line \d|\n/);
    throw placed(
      `text that is not YAML (${parserMessage === '' ? broken.code : parserMessage.slice(0, parserMessageMax)})`,
      broken.pos[0],
    );
  }
  const at = (path: FileProblem['path']): string => formatPlace(lines.linePos(findOffset(document, path)));
  return {
    name: use.name,
    value: toValue(document, use),
    document,
    at,
    fault: (problems) => createFault(use, problems, at),
  };
}

/** Maximum length in characters of a YAML parser's message in an error text, because the message may quote the file. */
const parserMessageMax = 120;

function toValue(document: Document.Parsed, use: NamedUse): unknown {
  try {
    const value: unknown = document.toJS();
    JSON.stringify(value);
    return value;
  } catch (error) {
    // A document without syntax errors can still fail: aliases that expand too far, or a value that contains itself.
    if (error instanceof ReferenceError)
      throw wrongFile(`in ${use.name}: aliases that repeat too much of the file`, use);
    if (error instanceof TypeError) throw wrongFile(`in ${use.name}: an alias that contains itself`, use);
    throw error;
  }
}

/**
 * Returns where a text exceeds the maximum nesting depth or number of values, with a description; null if it exceeds
 * neither. Uses no recursion.
 */
function findExcess(tokens: readonly CST.Token[], valuesMax: number): { found: string; offset: number } | null {
  const depthMax = suiteLimit('suiteJsonDepth');
  const open = tokens.map((token) => ({ token, depth: 0 }));
  let values = 0;
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { token, depth } = next;
    values += 1;
    if (depth > depthMax) return { found: `values nested deeper than ${depthMax} levels`, offset: token.offset };
    if (values > valuesMax) return { found: `more than ${valuesMax} values`, offset: token.offset };
    for (const inner of innerTokens(token)) open.push({ token: inner, depth: depth + 1 });
  }
  return null;
}

function innerTokens(token: CST.Token): CST.Token[] {
  if (token.type === 'document') return token.value === undefined ? [] : [token.value];
  if (!('items' in token)) return [];
  return token.items.flatMap(({ key, value }) => [key, value].filter((inner) => inner !== null && inner !== undefined));
}

/** Returns the offset of the key or entry at a path, or of its nearest existing parent. */
function findOffset(document: Document.Parsed, path: FileProblem['path']): number {
  const { isAlias, isMap, isScalar, isSeq } = lazyModules.yaml();
  let node: unknown = document.contents;
  let offset = getStart(node);
  for (const step of path) {
    if (isAlias(node)) node = node.resolve(document);
    const pair = isMap(node)
      ? node.items.find(({ key }) => String(isScalar(key) ? key.value : key) === String(step))
      : undefined;
    const found: unknown = isSeq(node) ? node.items[Number(step)] : pair?.key;
    if (found === undefined) return offset;
    offset = getStart(found);
    node = isSeq(node) ? found : pair?.value;
  }
  return offset;
}

function getStart(node: unknown): number {
  return lazyModules.yaml().isNode(node) ? ((node as Node).range?.[0] ?? 0) : 0;
}

function formatPlace({ line, col }: { readonly line: number; readonly col: number }): string {
  return `line ${Math.max(line, 1)}, column ${Math.max(col, 1)}`;
}

/** Maximum number of problems in one message. */
const namedMax = 20;

function createFault(use: NamedUse, problems: readonly FileProblem[], at: DataFile['at']): SuiteError {
  const named = problems.slice(0, namedMax).map((problem) => `${at(problem.path)}: ${problem.text}${meantBy(problem)}`);
  const more = problems.length > namedMax ? [`and ${problems.length - namedMax} more`] : [];
  return wrongFile(`in ${use.name}, ${[...named, ...more].join('; ')}`, use);
}

function meantBy({ unknown }: FileProblem): string {
  if (unknown === undefined) return '';
  const meant = nearestWord(unknown.word, unknown.known);
  return meant === undefined ? '' : ` (did you mean "${meant}"?)`;
}

/** An error of a compiled schema. */
interface SchemaError {
  readonly instancePath: string;
  readonly keyword: string;
  readonly params: Readonly<Record<string, unknown>>;
  readonly message?: string;
  readonly parentSchema?: Readonly<Record<string, unknown>>;
}

/**
 * Converts an error of a schema validator into a file problem. `members` lists the known members if the validator was
 * compiled without `verbose`, and the error therefore does not contain the schema.
 */
export function schemaProblem(error: SchemaError, members: readonly string[] = []): FileProblem {
  const { instancePath, keyword, message = 'is not valid', params, parentSchema } = error;
  const path = splitPointer(instancePath);
  const place = path.length === 0 ? 'the file' : path.join('.');
  const allowed = keyword === 'enum' && Array.isArray(params['allowedValues']) ? params['allowedValues'] : [];
  if (allowed.length > 0) return { path, text: `${place} must be one of ${allowed.join(', ')}` };
  if (keyword !== 'additionalProperties') return { path, text: `${place} ${message}` };
  const word = String(params['additionalProperty']);
  const known = [...members, ...Object.keys(parentSchema?.['properties'] ?? {})];
  return { path: [...path, word], text: `${place} has the unknown member "${word}"`, unknown: { word, known } };
}

/**
 * Parses the text of a JSON file. Throws SuiteError `usage`, with line and column where they are known, for text that
 * is not JSON or is nested deeper than `suiteJsonDepth`.
 */
export function parseJsonFile(text: string, use: NamedUse): JsonValue {
  const bounds = { depth: suiteLimit('suiteJsonDepth'), values: Number.POSITIVE_INFINITY };
  if (measureJson(text, bounds).depth > bounds.depth)
    throw wrongFile(`values nested deeper than ${bounds.depth} levels in ${use.name}`, use);
  try {
    const value: JsonValue = JSON.parse(text);
    return value;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw wrongFile(`in ${use.name}${brokenAt(text, error.message)}: text that is not JSON`, use);
  }
}

/**
 * Returns the location of a JSON syntax error as `, line L, column C`. If the parser's message only quotes the text
 * around the error, returns `, near line L, column C`. Returns an empty string if the message contains neither, or if
 * the quoted text occurs more than once in the file.
 */
function brokenAt(text: string, message: string): string {
  const position = /at position (\d+)/.exec(message)?.[1];
  const quoted = /^Unexpected token .*?, (?:\.\.\.)?"(.+?)"(?:\.\.\.)? is not valid JSON$/s.exec(message)?.[1] ?? '';
  if (message.includes('end of JSON')) return `, ${placeIn(text, text.length)}`;
  if (position !== undefined) return `, ${placeIn(text, Number(position))}`;
  const start = quoted === '' ? -1 : text.indexOf(quoted);
  return start < 0 || text.includes(quoted, start + 1) ? '' : `, near ${placeIn(text, start)}`;
}

function placeIn(text: string, offset: number): string {
  const before = text.slice(0, offset).split('\n');
  return formatPlace({ line: before.length, col: (before.at(-1)?.length ?? 0) + 1 });
}
