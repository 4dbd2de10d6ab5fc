import { TabError } from '#browsers/tab/tab.ts';
import type { JsonValue } from '#lib/json.ts';
import type { AgentWorld } from '../../agent.ts';
import { FileError } from '../../files.ts';

/** Limits of one run of a program. */
export interface ProgramBounds {
  /** Maximum computing time of the program, in ms. */
  readonly computeMs: number;
  /**
   * Maximum time without a message while no call of the program is pending, in ms. This limit ends programs that the
   * engine cannot interrupt.
   */
  readonly silentMs: number;
  /** Maximum total time from start to end, waits included, in ms. */
  readonly wholeMs: number;
  /** Maximum memory of the engine, which holds all values of the program; a multiple of 64 KiB, at least 16 MiB. */
  readonly memoryBytes: number;
  /** Maximum number of calls to the browser and the files. */
  readonly callsMax: number;
}

/** Maximum number of characters that a program sends: printed text, or the arguments of its pending calls. */
export const fromProgramMax = 1_048_576;

/** Maximum number of characters of one result for a program. */
export const toProgramMax = 2_097_152;

/** Start message for the sandbox process. */
export interface ProgramStart {
  readonly source: string;
  readonly bounds: ProgramBounds;
}

/** Message of the sandbox: a call to the browser or files, or the end of the program. */
export type FromProgram =
  | { readonly kind: 'call'; readonly id: number; readonly name: string; readonly argumentsText: string }
  | { readonly kind: 'printed'; readonly text: string }
  | { readonly kind: 'failed'; readonly reason: string };

/** Result of one call: JSON text, or the error message. */
export type ToProgram =
  | { readonly id: number; readonly ok: true; readonly answerText: string }
  | { readonly id: number; readonly ok: false; readonly message: string };

/** The part of the agent's world that a program can use. */
export type ProgramWorld = Pick<AgentWorld, 'tab' | 'files' | 'wait' | 'signal'>;

/** Maximum duration of one wait of a program, in ms. */
const waitMaxMs = 30_000;

/**
 * Calls that a program can make; other names are rejected. Arguments are strings, except the number of `wait` and a
 * field of `upload` that is null.
 */
const calls: Readonly<Record<string, (door: ProgramWorld, given: readonly JsonValue[]) => Promise<JsonValue>>> = {
  open: async ({ tab }, given) => nothing((await tab()).open(text(given, 0))),
  title: async ({ tab }) => (await tab()).title(),
  headings: async ({ tab }) => (await tab()).headings(),
  links: async ({ tab }) => (await (await tab()).links()).map(({ text: shown, url }) => ({ text: shown, url })),
  tables: async ({ tab }) =>
    (await (await tab()).tables()).map(({ caption, header, rows }) => ({
      caption,
      header: [...header],
      rows: rows.map((row) => [...row]),
    })),
  text: async ({ tab }) => (await tab()).text(),
  click: async ({ tab }, given) => nothing((await tab()).click(text(given, 0))),
  type: async ({ tab }, given) => nothing((await tab()).type(text(given, 0), text(given, 1))),
  press: async ({ tab }, given) => nothing((await tab()).press(text(given, 0))),
  wait: async ({ wait }, given) => nothing(wait(Math.min(waitMaxMs, Math.max(0, Number(given[0]) || 0)))),
  readFile: async ({ files }, given) => (await files.readText(text(given, 0))).text,
  listFiles: async ({ files }) => (await files.list()).map(({ path }) => path),
  writeFile: async ({ files }, given) => (await files.write(text(given, 0), text(given, 1))).path,
  upload: ({ tab, files }, given) => upload({ tab, files }, given[0] === null ? null : text(given, 0), text(given, 1)),
  download: (door, given) => download(door, text(given, 0)),
};

const offPage = new Set(['wait', 'readFile', 'listFiles', 'writeFile']);

/** Parses the arguments of a call. A program can replace `JSON.stringify`, so invalid JSON throws a TabError. */
function parseArguments(argumentsText: string): JsonValue {
  try {
    return JSON.parse(argumentsText);
  } catch (error) {
    throw new TabError('A program called the browser with arguments that are not JSON.', { cause: error });
  }
}

/**
 * Executes one call of a program. Returns its value, and the URL of the page unless the call concerns only files or
 * waiting. Rejects with a TabError or FileError for failures of a page or file, and with a TabError for an unknown call
 * or invalid arguments.
 */
export async function executeProgramCall(door: ProgramWorld, name: string, argumentsText: string): Promise<JsonValue> {
  const call = Object.hasOwn(calls, name) ? calls[name] : undefined;
  const given = parseArguments(argumentsText);
  if (call === undefined || !Array.isArray(given)) throw new TabError(`A program cannot ask for "${name}".`);
  const value = await call(door, given);
  return offPage.has(name) ? { value } : { value, url: await (await door.tab()).url() };
}

async function upload(
  { tab, files }: Pick<ProgramWorld, 'tab' | 'files'>,
  field: string | null,
  name: string,
): Promise<JsonValue> {
  const { path, bytes, contentType } = await files.read(name);
  await (await tab()).upload(field, { name: path.slice(path.lastIndexOf('/') + 1), bytes, contentType });
  return null;
}

/** Downloads a file; returns its path in the workspace. Rejects with a FileError if no file arrives. */
async function download({ tab, files }: ProgramWorld, name: string): Promise<JsonValue> {
  const before = await files.downloads();
  await (await tab()).download(name);
  const [file] = (await files.downloads()).slice(before.length);
  if (file === undefined) throw new FileError(`No file came of the download "${name}".`);
  return file.path;
}

function text(given: readonly JsonValue[], place: number): string {
  const value = given[place];
  if (typeof value !== 'string')
    throw new TabError(`A program has to give a text here; found ${JSON.stringify(value)}.`);
  return value;
}

async function nothing(work: Promise<void>): Promise<JsonValue> {
  await work;
  return null;
}
