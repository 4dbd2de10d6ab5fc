import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type Manifest, declareLibrary, publishedManifest } from './package/published-manifest.ts';
import { bundlePrism } from './package/bundle-prism.ts';

/**
 * Writes the published package to `--out` (by default dist): JavaScript, because Node does not strip types below
 * node_modules, and a separate manifest.
 */
const { values } = parseArgs({ options: { out: { type: 'string', default: 'dist' } } });
const { out } = values;

/** Files that the package contains unchanged. A checkout before the first release has no `CHANGELOG.md`. */
const copied = [
  'generated/contract',
  'generated/openapi',
  'generated/report.schema.json',
  'conformance/report/html/page.js',
  'conformance/report/html/style',
  'src/browsers/launch/cache-folder.mjs',
  'src/cli/keep-compiled.mjs',
  'src/cli/require-node.mjs',
  'bin',
  'README.md',
  'CHANGELOG.md',
  'LICENSE',
];

rmSync(out, { recursive: true, force: true });
// Uses two type checkers. With the default of four, more work is repeated.
execFileSync('tsc', ['-p', 'config/tsconfig.build.json', '--checkers', '2', '--outDir', out], { stdio: 'inherit' });
execFileSync('tsc', ['-p', 'config/tsconfig.library.json', '--checkers', '2', '--outDir', out], { stdio: 'inherit' });
for (const file of copied)
  if (file !== 'CHANGELOG.md' || existsSync(file)) cpSync(file, join(out, file), { recursive: true });
declareLibrary(out);
await bundlePrism(out);
const checkout: Manifest = JSON.parse(readFileSync('package.json', 'utf8'));
const manifest = publishedManifest(checkout, repository());
writeFileSync(join(out, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);

/** Returns the URL of the repository from which a workflow publishes; undefined outside of a workflow. */
function repository(): string | undefined {
  const { GITHUB_SERVER_URL: host, GITHUB_REPOSITORY: name } = process.env;
  return host === undefined || name === undefined ? undefined : `${host}/${name}`;
}
