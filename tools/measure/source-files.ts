import { globSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';
import ts from 'typescript';

/** A TypeScript or JavaScript module of the repository. */
export interface SourceFile {
  /** Path from the root of the repository, with forward slashes. */
  readonly path: string;
  readonly text: string;
  readonly lines: number;
  /** Paths of the repository's own modules that the file imports, including type imports and dynamic imports. */
  readonly imports: readonly string[];
}

const productionFolders = ['src', 'conformance', 'tools', 'bench', 'proofs'];

/** Returns whether a path belongs to a test or to helpers of tests. */
function isTestPath(path: string): boolean {
  return /\.test\.tsx?$|(?:^|\/)testing\//.test(path);
}

/**
 * Reads every production module below a root folder, sorted by path. Omits tests, helpers of tests, and generated code.
 */
export function readProductionFiles(root: string): SourceFile[] {
  const paths = productionFolders
    .flatMap((folder) => globSync(`${folder}/**/*.{ts,tsx,mjs}`, { cwd: root }))
    .map((path) => path.replaceAll('\\', '/'))
    .filter((path) => !isTestPath(path))
    .toSorted();
  const known = new Set(paths);
  const aliases = readAliases(root);
  return paths.map((path) => {
    const text = readFileSync(posix.join(root, path), 'utf8');
    const imports = findImports(path, text, aliases).filter((target) => target !== path && known.has(target));
    return { path, text, lines: countLines(text), imports };
  });
}

/** Returns the modules that a module imports, as paths from the root. Omits packages and modules of Node. */
export function readImports(root: string, path: string): string[] {
  return findImports(path, readFileSync(posix.join(root, path), 'utf8'), readAliases(root));
}

function findImports(path: string, text: string, aliases: Aliases): string[] {
  const found = ts.preProcessFile(text, true, true).importedFiles;
  return [...new Set(found.map(({ fileName }) => resolveImport(path, fileName, aliases)))].filter(isDefined);
}

function isDefined(path: string | undefined): path is string {
  return path !== undefined;
}

/** Returns the number of lines of a text. A line break at the end does not begin another line. */
export function countLines(text: string): number {
  return text.split('\n').length - (text.endsWith('\n') ? 1 : 0);
}

/** Prefixes of subpath imports, such as `#lib/`, each with its folder. */
type Aliases = readonly (readonly [prefix: string, folder: string])[];

/**
 * Returns the subpath imports of package.json: `"#lib/*.ts": "./src/lib/*.ts"` becomes the pair `#lib/` and `src/lib/`.
 */
function readAliases(root: string): Aliases {
  const manifest: { imports?: Record<string, string> } = JSON.parse(
    readFileSync(posix.join(root, 'package.json'), 'utf8'),
  );
  return Object.entries(manifest.imports ?? {})
    .filter(([name]) => name.endsWith('*.ts'))
    .map(([name, target]) => [name.replace('*.ts', ''), target.replace(/^\.\//, '').replace('*.ts', '')]);
}

/** Returns the path of the repository to which a module specifier leads; undefined for packages and modules of Node. */
function resolveImport(from: string, specifier: string, aliases: Aliases): string | undefined {
  if (specifier.startsWith('.')) return posix.join(posix.dirname(from), specifier);
  const alias = aliases.find(([prefix]) => specifier.startsWith(prefix));
  return alias && alias[1] + specifier.slice(alias[0].length);
}
