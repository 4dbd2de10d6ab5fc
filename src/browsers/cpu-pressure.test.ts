import { writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { availableParallelism, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { isCpuPressed } from './admission.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-pressure-'));
});
afterAll(() => rm(folder, { recursive: true }));

test.each([
  ['some avg10=80.01 avg60=0.00 avg300=0.00 total=1\nfull avg10=0.00 avg60=0.00 avg300=0.00 total=0\n', true],
  ['some avg10=79.99 avg60=99.00 avg300=99.00 total=1\nfull avg10=99.00 avg60=0.00 avg300=0.00 total=0\n', false],
])('what the kernel says of the last ten seconds counts: %j', async (text, pressed) => {
  const file = join(folder, 'cpu');
  writeFileSync(file, text);
  expect(await isCpuPressed(80, file)).toBe(pressed);
  expect(await isCpuPressed(100, file)).toBe(false);
});

test('without the file the load average counts', async () => {
  const [load = 0] = loadavg();
  expect(await isCpuPressed(80, join(folder, 'missing'))).toBe(load / availableParallelism() > 4);
});
