import { optionalPackages } from '../../generated/rules.ts';
import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import ts from 'typescript';
import { type Plugin, build } from 'vite';

/** The used members of a package.json. */
export interface Manifest {
  readonly version: string;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly imports: Readonly<Record<string, string>>;
  readonly exports: Readonly<Record<string, string>>;
  readonly [member: string]: unknown;
}

/** Members that are equal in a checkout and in the package. */
const same = ['name', 'version', 'description', 'keywords', 'license', 'type', 'bin', 'engines'] as const;

/**
 * Returns the manifest of the published package: JavaScript in place of TypeScript, rarely needed packages as optional
 * peers, and nothing for development. `repository` is the URL that provenance names.
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

/** Returns name -> version range, sorted by name. */
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

/** Packages that are part of the published bundle; the last one has types only. */
const bundledPackages: ReadonlySet<string> = new Set([
  '@stoplight/prism-core',
  '@stoplight/prism-http',
  '@stoplight/types',
]);

const FOLDER = 'src/library';

/**
 * Writes the declarations of src/library below `folder`, file by file, because a full build would declare the whole
 * backend. Throws for a file without explicit types.
 */
export function declareLibrary(folder: string): void {
  for (const name of readdirSync(FOLDER).filter((one) => one.endsWith('.ts'))) {
    const file = join(FOLDER, name);
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

/**
 * Bundles the used part of Prism into one module in place of `src/mock/prism.js` below `folder`, and writes the
 * licences to THIRD-PARTY-LICENSES.txt. As packages Prism would take 70 MB, ten times as much.
 */
export async function bundlePrism(folder: string): Promise<void> {
  const made = await build({
    configFile: false,
    logLevel: 'error',
    publicDir: false,
    ssr: { noExternal: true },
    plugins: [uriTemplates],
    build: {
      write: false,
      ssr: 'src/mock/prism.ts',
      target: 'node24',
      minify: true,
      rollupOptions: { output: { codeSplitting: false } },
    },
  });
  const outputs = (Array.isArray(made) ? made : [made]).flatMap((one) => ('output' in one ? one.output : []));
  const [chunk] = outputs;
  if (outputs.length !== 1 || chunk?.type !== 'chunk') throw new Error('found several files of Prism, expected one');
  writeFileSync(join(folder, 'src/mock/prism.js'), chunk.code);
  writeFileSync(join(folder, 'THIRD-PARTY-LICENSES.txt'), licences(chunk.moduleIds));
}

/** Replaces `this` in a module that exports to it, which is undefined in a bundle. */
const uriTemplates: Plugin = {
  name: 'uri-templates',
  transform: (code, id) =>
    id.endsWith('/uri-template-lite/index.js') ? code.replaceAll('this.URI', 'exports.URI') : null,
};

function licences(modules: readonly string[]): string {
  const packages = new Set(modules.flatMap((id) => /^\0?(.*\/node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(id)?.[1] ?? []));
  const parts = [...packages].toSorted().map((folder) => {
    const file = readdirSync(folder).find((name) => /^(licen[cs]e|copying)/i.test(name));
    const text = file === undefined ? declared(folder) : readFileSync(join(folder, file), 'utf8').trim();
    return `${relative('node_modules', folder)}\n\n${text}\n`;
  });
  return `The module src/mock/prism.js holds code of these packages.\n\n${parts.join(`\n${'-'.repeat(80)}\n`)}`;
}

/** Returns the licence stated in the manifest of a package without a licence text. */
function declared(folder: string): string {
  const manifest: unknown = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const license = typeof manifest === 'object' && manifest !== null && 'license' in manifest ? manifest.license : null;
  return `Licence: ${String(license)}`;
}
