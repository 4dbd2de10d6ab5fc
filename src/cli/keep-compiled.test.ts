import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

/** What Node loads to take the types of a source away. */
const stripper = 'internal/deps/amaro/dist/index';

/** Whether `svc --version` had to strip a source, in a process of its own. */
async function strips(): Promise<boolean> {
  const telling = `process.on('exit', () => console.error(process.moduleLoadList.some((name) => name.endsWith('${stripper}'))));`;
  const preload = `--import=data:text/javascript,${encodeURIComponent(telling)}`;
  // The tests have a variable of Node that does the same.
  const { NODE_COMPILE_CACHE: _, ...env } = process.env;
  const { stderr } = await promisify(execFile)(process.execPath, [preload, 'bin/svc.mjs', '--version'], { env });
  return stderr.trim() === 'true';
}

it('strips no source on the second start of svc', async () => {
  // The first may find that all has been kept before.
  await strips();
  expect(await strips()).toBe(false);
});
