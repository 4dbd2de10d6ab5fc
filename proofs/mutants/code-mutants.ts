import { createHash } from 'node:crypto';
import { existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Instrumenter } from '@stryker-mutator/instrumenter';

/**
 * A change that the mutation tool makes to the source code. The instrumented code contains all mutants; at most one
 * mutant is active.
 */
export interface CodeMutant {
  /** Permanent name of the mutant: file, mutator, and code before and after. */
  readonly key: string;
  /** Id of the mutant's switch in the instrumented code. */
  readonly id: string;
  readonly file: string;
  /** Line of the mutated code in its file, counted from 1. */
  readonly line: number;
  readonly mutator: string;
}

/** Source files with all mutants compiled in. */
export interface Instrumented {
  /** Folder with one instrumented file for each source, and with `files.json`, which names these files. */
  readonly folder: string;
  readonly mutants: readonly CodeMutant[];
}

/**
 * Pattern of the source files whose code can answer API requests. `leftOut` excludes tests, the console, control server
 * and migrations.
 */
const answering = 'src/{accounts,api,contract,operations,sessions,store}/**/*.ts';
const leftOut = /\.test\.ts$|\/testing\/|^src\/api\/(console|control)\/|^src\/store\/(migrations|postgres)\//;

/** Returns the source files that take part in answering API requests. */
export function answeringFiles(): string[] {
  return globSync(answering)
    .filter((name) => !leftOut.test(name))
    .toSorted();
}

/** Compiles the mutants into source files, or reuses the result below `.svc/long/mutants/`. */
export async function instrumentCode(files: readonly string[]): Promise<Instrumented> {
  const sources = files.map((name) => ({ name, mutate: true, content: readFileSync(name, 'utf8') }));
  const folder = join('.svc/long/mutants', digest(JSON.stringify(sources)));
  const list = join(folder, 'mutants.json');
  if (!existsSync(list)) {
    const instrumented = await instrument(sources);
    const contents = new Map(sources.map(({ name, content }) => [name, content]));
    mkdirSync(folder, { recursive: true });
    for (const [at, { content }] of instrumented.files.entries()) writeFileSync(join(folder, `${at}.ts`), content);
    writeFileSync(join(folder, 'files.json'), JSON.stringify(files));
    writeFileSync(list, JSON.stringify(withKeys(instrumented.mutants, contents)));
  }
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- only this file writes it
  return { folder, mutants: JSON.parse(readFileSync(list, 'utf8')) as CodeMutant[] };
}

type Placed = Awaited<ReturnType<Instrumenter['instrument']>>['mutants'][number];

function instrument(sources: Parameters<Instrumenter['instrument']>[0]): ReturnType<Instrumenter['instrument']> {
  const silent = { isDebugEnabled: () => false, debug: ignore, info: ignore, warn: ignore, error: ignore };
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the levels that the instrumenter writes to
  const instrumenter = new Instrumenter(silent as unknown as ConstructorParameters<typeof Instrumenter>[0]);
  return instrumenter.instrument(sources, { plugins: null, excludedMutations: [], ignorers: [] });
}

function ignore(): void {}

function withKeys(placed: readonly Placed[], contents: ReadonlyMap<string, string>): CodeMutant[] {
  const seen = new Map<string, number>();
  return placed.map(({ id, fileName, mutatorName, location, replacement }) => {
    const before = shortened(textAt(contents.get(fileName) ?? '', location));
    const name = `${fileName}: ${mutatorName} \`${before}\` to \`${shortened(replacement)}\``;
    const count = (seen.get(name) ?? 0) + 1;
    seen.set(name, count);
    const key = count === 1 ? name : `${name} (${count})`;
    return { key, id, file: fileName, line: location.start.line + 1, mutator: mutatorName };
  });
}

function textAt(content: string, { start, end }: Placed['location']): string {
  const lines = content.split('\n').slice(start.line, end.line + 1);
  const last = lines.length - 1;
  const cut = lines.map((line, at) => (at === last ? line.slice(0, end.column) : line));
  return cut.map((line, at) => (at === 0 ? line.slice(start.column) : line)).join('\n');
}

const lengthMax = 70;

/** Returns code on one line. Of long code, returns the beginning and a digest of the whole code. */
function shortened(code: string): string {
  const line = code.replaceAll(/\s+/g, ' ').replaceAll('`', "'").trim();
  return line.length <= lengthMax ? line : `${line.slice(0, lengthMax)}… ${digest(line).slice(0, 6)}`;
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}
