import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { type Plugin, build } from 'vite';

/**
 * Bundles src/mock/prism.ts and the used part of Prism into one module, which replaces `src/mock/prism.js` below
 * `folder`. Writes the licences to THIRD-PARTY-LICENSES.txt. Installed as packages, Prism would take 70 MB.
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

/**
 * Vite plugin for uri-template-lite, which assigns its export to `this`. Replaces `this` by `exports`, because `this`
 * is undefined in a bundle.
 */
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

/** Returns a line with the licence that the manifest of a package names. Used for a package without a licence text. */
function declared(folder: string): string {
  const manifest: unknown = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const license = typeof manifest === 'object' && manifest !== null && 'license' in manifest ? manifest.license : null;
  return `Licence: ${String(license)}`;
}
