import { randomBytes } from 'node:crypto';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { benchBrowsers } from './bench/browsers.ts';
import type { Measured } from './bench/measure.ts';
import { benchRequests } from './bench/requests.ts';
import { benchSuite } from './bench/suite-run.ts';
import { startServe } from './conformance/svc-process.ts';

/** npm run bench: ratios of the service to the barest thing that does the same, measured in one run on one machine. */
const folder = mkdtempSync(join(tmpdir(), 'svc-bench-'));
chmodSync(folder, 0o711);
const key = `svc_${randomBytes(24).toString('base64url')}`;
const data = ['--port', '0', '--data', join(folder, 'data'), '--bootstrap-key', key];
try {
  const service = await startServe([...data, '--sessions-max', '100']);
  try {
    const access = { address: service.address, key };
    const measured = [...(await benchRequests(service.address, key)), ...(await benchBrowsers(access))];
    for (const line of measured.map(lineOf)) console.log(line);
    const run = await benchSuite(access, folder);
    const times = `${run.seconds.toFixed(2)} s / ${run.bareSeconds.toFixed(2)} s for ${run.requests} requests`;
    console.log(
      `${'svc check --spend none / bare client'.padEnd(42)} ${run.ratio.toFixed(2).padStart(6)}   (${times})`,
    );
  } finally {
    await service.stop();
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}

function lineOf({ name, subjectMs, baselineMs, ratio, calls }: Measured): string {
  const times = `${subjectMs.toFixed(2)} ms / ${baselineMs.toFixed(2)} ms`;
  return `${name.padEnd(42)} ${ratio.toFixed(2).padStart(6)}   (${times}, medians of ${calls})`;
}
