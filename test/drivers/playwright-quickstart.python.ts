import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { png, startStage, takePicture } from './start-stage.ts';

/** Path of a Python interpreter that has the package playwright. */
const python = process.env['PYTHON_PATH'] ?? 'python3';

const run = promisify(execFile);

async function expectPackage(): Promise<void> {
  await run(python, ['-c', 'import playwright']).catch((cause: unknown) => {
    const next = 'pip install playwright, or set PYTHON_PATH';
    throw new Error(`${python} has no package playwright, which this test needs. Next: ${next}.`, { cause });
  });
}

it('the example of Playwright for Python runs over the cdpUrl as endpoint_url', async () => {
  await expectPackage();
  const stage = await startStage();
  try {
    const { cdpUrl } = await stage.browser();
    const args = [join(import.meta.dirname, 'playwright-quickstart.py'), cdpUrl, `${stage.origin}/post`];
    const taken = await takePicture((path) => run(python, [...args, path]));
    expect(taken.subarray(0, 4)).toEqual(png);
  } finally {
    await stage.stop();
  }
});
