import { optionalPackages } from '#generated/rules.ts';
import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';

/** The used members of a package.json. */
export interface Manifest {
  readonly version: string;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly imports: Readonly<Record<string, string>>;
  readonly exports: Readonly<Record<string, string>>;
  readonly [member: string]: unknown;
}

/** Members of package.json that the published manifest contains unchanged. */
const same = ['name', 'version', 'description', 'keywords', 'license', 'type', 'bin', 'engines'] as const;

/**
 * Returns the manifest of the published package: paths lead to JavaScript instead of TypeScript, rarely needed packages
 * are optional peers, and nothing is for development. `repository` is the URL of the repository that the manifest
 * names.
 */
export function publishedManifest(checkout: Manifest, repository: string | undefined): Record<string, unknown> {
  const optional = optionalRanges();
  const dependencies = Object.fromEntries(
    Object.entries(checkout.dependencies).filter(([name]) => !optional.has(name) && !bundledPackages.has(name)),
  );
  return {
    ...Object.fromEntries(same.flatMap((name) => (name in checkout ? [[name, checkout[name]]] : []))),
    ...(repository === undefined ? {} : { repository: { type: 'git', url: `git+${repository}.git` } }),
    exports: Object.fromEntries(Object.entries(checkout.exports).map(([name, place]) => [name, entry(place)])),
    imports: Object.fromEntries(Object.entries(checkout.imports).map(([name, place]) => [name, script(place)])),
    dependencies,
    peerDependencies: Object.fromEntries(optional),
    peerDependenciesMeta: Object.fromEntries([...optional.keys()].map((name) => [name, { optional: true }])),
  };
}

/** Returns the version ranges of the optional packages by name, sorted by name. */
function optionalRanges(): ReadonlyMap<string, string> {
  const all = optionalPackages.features.flatMap(
    ({ packages }): readonly { readonly name: string; readonly range: string }[] => packages,
  );
  return new Map(
    all.map(({ name, range }): [string, string] => [name, range]).toSorted(([a], [b]) => a.localeCompare(b)),
  );
}

function entry(place: string): unknown {
  if (!place.endsWith('.ts')) return place;
  return { types: place.replace(/\.ts$/, '.d.ts'), default: script(place) };
}

function script(place: string): string {
  return place.replace(/\.ts$/, '.js');
}

/**
 * Dependencies that the manifest omits, because the bundle of Prism contains their code. `@stoplight/types` contributes
 * types only.
 */
const bundledPackages: ReadonlySet<string> = new Set([
  '@stoplight/prism-core',
  '@stoplight/prism-http',
  '@stoplight/types',
]);

const libraryFolder = 'src/library';

/**
 * Writes the type declarations of src/library below `folder`. Converts each file separately, because a full build would
 * declare the whole backend. Throws for a file whose exports lack explicit types.
 */
export function declareLibrary(folder: string): void {
  for (const name of readdirSync(libraryFolder).filter((one) => one.endsWith('.ts'))) {
    const file = join(libraryFolder, name);
    const { outputText, diagnostics = [] } = ts.transpileDeclaration(readFileSync(file, 'utf8'), {
      fileName: file,
      reportDiagnostics: true,
      compilerOptions: { isolatedDeclarations: true, declaration: true, module: ts.ModuleKind.NodeNext, strict: true },
    });
    const [first] = diagnostics;
    if (first !== undefined) throw new Error(`${file}: ${ts.flattenDiagnosticMessageText(first.messageText, '\n')}`);
    writeFileSync(join(folder, file.replace(/\.ts$/, '.d.ts')), outputText);
  }
}
