import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { build } from 'vite';

/** A page with its script and style. */
export interface FrontEnd {
  readonly page: string;
  readonly script: string;
  readonly style: string;
}

/**
 * Bundles a folder with `page.html` and `main.tsx`. Returns the page, its script and its style. File names have no
 * hashes and the script is one chunk, so that equal sources yield equal texts.
 */
export async function builtFrontEnd(folder: string): Promise<FrontEnd> {
  const made = await build({
    configFile: false,
    root: folder,
    logLevel: 'warn',
    publicDir: false,
    oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
    build: {
      write: false,
      target: 'es2022',
      modulePreload: false,
      cssCodeSplit: false,
      rollupOptions: {
        input: resolve(folder, 'main.tsx'),
        output: { entryFileNames: 'page.js', assetFileNames: 'page[extname]', codeSplitting: false },
      },
    },
  });
  const outputs = (Array.isArray(made) ? made : [made]).flatMap((one) => ('output' in one ? one.output : []));
  const script = outputs.find((one) => one.type === 'chunk')?.code;
  const style = outputs.find((one) => one.type === 'asset' && one.fileName.endsWith('.css'));
  if (outputs.length !== 2 || script === undefined || style?.type !== 'asset')
    throw new Error(
      `${folder}: found ${outputs.map(({ fileName }) => fileName).join(', ')}, expected a script and a style`,
    );
  return { page: readFileSync(`${folder}/page.html`, 'utf8'), script, style: String(style.source) };
}
