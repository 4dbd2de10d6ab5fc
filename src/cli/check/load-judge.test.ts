import { spawnSync } from 'node:child_process';
import { expect, it } from 'vitest';

/**
 * Runs `svc judge` with a missing file. Returns the URLs of the modules, and the names of Node's internal modules, that
 * the command has loaded.
 */
function loadedByJudge(): { readonly modules: string[]; readonly ofNode: string[] } {
  const telling = `
    import { registerHooks } from 'node:module';
    const modules = [];
    registerHooks({ load: (url, context, next) => (modules.push(url), next(url, context)) });
    process.on('exit', () => console.log(JSON.stringify({ modules, ofNode: process.moduleLoadList })));`;
  const preload = `--import=data:text/javascript,${encodeURIComponent(telling)}`;
  const { stdout } = spawnSync(process.execPath, [preload, 'bin/svc.mjs', 'judge', 'no-such-file.har']);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it is what the preload above says
  return JSON.parse(stdout.toString()) as { modules: string[]; ofNode: string[] };
}

it('judges without compiling schemas or loading unused packages', () => {
  const { modules, ofNode } = loadedByJudge();
  // The validators are loaded.
  expect(modules.filter((url) => url.endsWith('/generated/validators/openapi-v4.ts'))).toHaveLength(1);
  const unused = /node_modules\/(yaml|ws|fast-xml-builder|ajv\/dist\/(?!runtime\/))/;
  expect(modules.filter((url) => unused.test(url))).toEqual([]);
  // The HTTP client of `fetch`, which an import of `node:http` loads.
  expect(ofNode.filter((name) => name.endsWith('internal/deps/undici/undici'))).toEqual([]);
});
