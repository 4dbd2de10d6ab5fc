import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

/** Internal module of Node that strips types. */
const stripper = 'internal/deps/amaro/dist/index';

/** Runs `svc --version` in a new process. Returns whether Node stripped the types of a source file. */
async function strips(): Promise<boolean> {
  const telling = `process.on('exit', () => console.error(process.moduleLoadList.some((name) => name.endsWith('${stripper}'))));`;
  const preload = `--import=data:text/javascript,${encodeURIComponent(telling)}`;
  // The test process may have NODE_COMPILE_CACHE, which enables the cache too.
  const { NODE_COMPILE_CACHE: _, ...env } = process.env;
  const { stderr } = await promisify(execFile)(process.execPath, [preload, 'bin/svc.mjs', '--version'], { env });
  return stderr.trim() === 'true';
}

it('strips no source on the second start of svc', async () => {
  // The first run may already find a filled cache.
  await strips();
  expect(await strips()).toBe(false);
});
