import { accessSync, constants, existsSync, mkdirSync, statSync, writeFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import {
  type Recording,
  renderBadge,
  renderHar,
  renderHtml,
  renderJson,
  renderJunit,
  renderMarkdown,
  renderTerminal,
  type Report,
  type RunOptions,
  SuiteError,
  type TerminalOptions,
} from '#conformance/index.ts';
import { hasColours, print } from '../print.ts';

/** Report formats that are written to a file, each with its renderer. */
const fileFormats = {
  json: renderJson,
  har: (_report: Report, recording: Recording | undefined) => renderHar(required(recording)),
  html: renderHtml,
  junit: renderJunit,
  md: renderMarkdown,
  badge: renderBadge,
} as const;

type FileFormat = keyof typeof fileFormats;

/** Destinations of a report. */
export interface Outputs {
  readonly terminal: boolean;
  /** Whether the terminal report shows every finding, the areas, and the ids that were not judged. */
  readonly details: boolean;
  readonly files: Readonly<Partial<Record<FileFormat, string>>>;
}

/**
 * Parses the values of `--report` and `--details`. Throws SuiteError `usage` for a malformed item, for a format or a
 * file that is named twice, and for several formats on standard output.
 */
export function readOutputs(list: string, details = false): Outputs {
  const words = list.split(',').map((item) => item.trim());
  const files = words.filter((word) => word !== 'terminal').map((word) => readFile(word));
  const names = files.map(([name]) => name);
  const twice = names.find((name, at) => names.indexOf(name) !== at);
  if (twice !== undefined)
    throw new SuiteError('usage', {
      found: `--report with ${twice} twice`,
      expected: 'each format once',
      next: 'leave one of the files out, and copy the other',
    });
  const paths = files.map(([, file]) => file).filter((file) => file !== '-');
  const shared = paths.find((file, at) => paths.map((path) => resolve(path)).indexOf(resolve(file)) !== at);
  if (shared !== undefined)
    throw new SuiteError('usage', {
      found: `--report with ${shared} for two formats`,
      expected: 'a file of its own for each format',
      next: 'name another file for one of them',
    });
  const toPipe = files.filter(([, file]) => file === '-').length + (words.includes('terminal') ? 1 : 0);
  if (toPipe > 1 && files.some(([, file]) => file === '-')) {
    throw new SuiteError('usage', {
      found: `--report ${list}`,
      expected: 'one format on the standard output, where - stands',
      next: 'write the others to files, or leave terminal out',
    });
  }
  return { terminal: words.includes('terminal'), details, files: Object.fromEntries(files) };
}

function readFile(word: string): [string, string] {
  const [name = '', file = ''] = word.split(/=(.*)/s);
  if (file !== '' && isFileFormat(name)) return [name, file];
  throw new SuiteError('usage', {
    found: `--report ${word}`,
    expected: `terminal and ${Object.keys(fileFormats).join('=FILE, ')}=FILE, separated by commas`,
    next: 'see `svc check --help`',
  });
}

function required(recording: Recording | undefined): Recording {
  if (recording === undefined) throw new Error('checkOutputs was called without a recording');
  return recording;
}

function isFileFormat(name: string): name is FileFormat {
  return Object.hasOwn(fileFormats, name);
}

/**
 * Checks that every output file can be written, as {@link checkWritable} does. Throws SuiteError `usage` also for the
 * format `har` if the command has no recording.
 */
export function checkOutputs({ files }: Outputs, { hasRecording }: { readonly hasRecording: boolean }): void {
  if (files.har !== undefined && !hasRecording)
    throw new SuiteError('usage', {
      found: '--report har=FILE',
      expected: 'a format other than har: reports do not contain the recording of their run',
      next: 'pass it to `svc check`',
    });
  for (const file of Object.values(files)) if (file !== '-') checkWritable({ file, flag: '--report' });
}

/**
 * Writes a report to all destinations. When a file cannot be written, the other files are written anyway. In this case,
 * also prints the terminal report, unless standard output has another format, and then throws SuiteError `usage`.
 * `recording` is needed for the format `har`.
 */
export function writeOutputs(report: Report, outputs: Outputs, recording?: Recording): void {
  const refused: SuiteError[] = [];
  for (const [name, file] of Object.entries(outputs.files)) {
    if (!isFileFormat(name)) continue;
    const text = fileFormats[name](report, recording);
    // `-` stands for standard output.
    if (file === '-') print(text);
    else refused.push(...catchWriteError(() => writeText({ file, flag: '--report' }, text)));
  }
  const isFree = !Object.values(outputs.files).includes('-');
  const extent = outputs.details ? 'full' : 'normal';
  if (outputs.terminal || (refused.length > 0 && isFree)) print(renderTerminal(report, { ...terminalStyle(), extent }));
  const [first] = refused;
  if (first === undefined) return;
  throw new SuiteError('usage', { ...first.text, found: refused.map(({ text }) => text.found).join(', and ') });
}

function catchWriteError(write: () => void): SuiteError[] {
  try {
    write();
    return [];
  } catch (error) {
    if (error instanceof SuiteError) return [error];
    throw error;
  }
}

/** Returns the style of standard output: its width, 100 columns if unknown, and whether it shows colours. */
export function terminalStyle(): TerminalOptions {
  return { columns: process.stdout.columns ?? 100, colour: hasColours(process.stdout) };
}

/** A file that a command writes when its work has ended, and the flag that names this file. */
export interface WrittenFile {
  readonly file: string;
  readonly flag: string;
}

/**
 * Creates the folder of a file and checks that the file can be written, before the work begins. A run may cost money,
 * and its result must not be lost because of a wrong path. Throws SuiteError `usage`.
 */
export function checkWritable(written: WrittenFile): void {
  const { file } = written;
  orUnwritable(written, () => {
    mkdirSync(dirname(file), { recursive: true });
    accessSync(existsSync(file) ? file : dirname(file), constants.W_OK);
  });
  if (statSync(file, { throwIfNoEntry: false })?.isDirectory() === true) throw unwritable(written, 'it is a folder');
}

/** Writes a file. Throws SuiteError `usage` when the operating system refuses. */
export function writeText(written: WrittenFile, text: string): void {
  orUnwritable(written, () => writeFileSync(written.file, text));
}

function orUnwritable(written: WrittenFile, write: () => void): void {
  try {
    write();
  } catch (error) {
    // An operating system error is the user's to correct; any other error is a bug.
    if (!(error instanceof Error && 'syscall' in error)) throw error;
    throw unwritable(written, error.message);
  }
}

function unwritable({ file, flag }: WrittenFile, reason: string): SuiteError {
  return new SuiteError('usage', {
    found: `that ${file} cannot be written (${reason})`,
    expected: 'a file with room that this account may write',
    next: `correct the path of ${flag}`,
  });
}

/** A finished run: its report and its recording. */
export interface Ended {
  readonly report: Report;
  readonly recording: Recording;
}

/**
 * Runs a function that judges a target. Returns the report and the recording that the function has passed to
 * `onRecording`.
 */
export async function keepRecording(
  run: (onRecording: NonNullable<RunOptions['onRecording']>) => Promise<Report>,
): Promise<Ended> {
  const kept = Promise.withResolvers<Recording>();
  const report = await run((recording) => kept.resolve(recording));
  return { report, recording: await kept.promise };
}
