import { randomBytes } from 'node:crypto';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { benchBrowsers } from './bench/browsers.ts';
import { benchCrowd } from './bench/crowd.ts';
import { benchLiveView } from './bench/live-view.ts';
import { benchLoad } from './bench/load.ts';
import type { Measured } from './bench/measure.ts';
import { benchRequests } from './bench/requests.ts';
import { benchSessions } from './bench/sessions.ts';
import { benchStarts } from './bench/starts.ts';
import { benchSuite } from './bench/suite-run.ts';
import { type Served, startServe } from './conformance/svc-process.ts';

/**
 * npm run bench: ratios of the service to the barest thing that does the same, measured in one run on one machine.
 * npm run bench -- starts crowd: only these of requests, starts, browsers, crowd, live, sessions, load and suite.
 */
const { values, positionals: only } = parseArgs({
  allowPositionals: true,
  options: {
    /** How long clients poll in `load`. */
    minutes: { type: 'string', default: '3' },
  },
});
const folder = mkdtempSync(join(tmpdir(), 'svc-bench-'));
chmodSync(folder, 0o711);
const key = `svc_${randomBytes(24).toString('base64url')}`;
const owned = new AsyncDisposableStack();
owned.defer(() => rmSync(folder, { recursive: true, force: true }));
try {
  const service = await serve('data');
  const access = { address: service.address, key };
  if (isWanted('requests')) print(await benchRequests(access.address, key));
  if (isWanted('starts')) {
    const warm = await serve('warm', '--warm', '1');
    print(await benchStarts({ cold: access, warm: { address: warm.address, key }, folder: join(folder, 'bare') }));
  }
  if (isWanted('browsers')) print(await benchBrowsers(access));
  if (isWanted('crowd'))
    for (const line of await benchCrowd(access, { pid: service.pid, dataFolder: join(folder, 'data') }))
      console.log(line);
  if (isWanted('live')) for (const line of await benchLiveView(await serve('live'), key)) console.log(line);
  if (isWanted('sessions')) for (const line of await benchSessions(join(folder, 'sessions'), key)) console.log(line);
  if (isWanted('load'))
    for (const line of await benchLoad(join(folder, 'load'), Number(values.minutes))) console.log(line);
  if (isWanted('suite')) {
    const run = await benchSuite(access, folder);
    const times = `${run.seconds.toFixed(2)} s / ${run.bareSeconds.toFixed(2)} s for ${run.requests} requests`;
    console.log(
      `${'svc check --spend none / bare client'.padEnd(42)} ${run.ratio.toFixed(2).padStart(6)}   (${times})`,
    );
  }
} finally {
  await owned.disposeAsync();
}

function isWanted(part: string): boolean {
  return only.length === 0 || only.includes(part);
}

async function serve(name: string, ...more: string[]): Promise<Served> {
  const args = [
    '--port',
    '0',
    '--data',
    join(folder, name),
    '--bootstrap-key',
    key,
    '--sessions-max',
    '100',
    '--pressure-max',
    '100',
  ];
  const service = await startServe([...args, ...more], {
    NODE_OPTIONS: '--import=./scripts/bench/collect-on-signal.ts',
  });
  owned.defer(() => service.stop());
  return service;
}

function print(measured: readonly Measured[]): void {
  for (const { name, subjectMs, baselineMs, ratio, calls } of measured) {
    const times = `${subjectMs.toFixed(2)} ms / ${baselineMs.toFixed(2)} ms`;
    console.log(`${name.padEnd(42)} ${ratio.toFixed(2).padStart(6)}   (${times}, medians of ${calls})`);
  }
}
