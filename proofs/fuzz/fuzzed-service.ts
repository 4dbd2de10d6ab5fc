import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type CallService, createCall } from '../service/call-service.ts';
import { onExit, type ServiceProcess, startService } from '../../tools/conformance/svc-process.ts';

/** A service for requests of every kind: simulated browsers, test tasks, a movable clock, one project. */
export interface FuzzedService extends Pick<ServiceProcess, 'pid' | 'address' | 'isRunning' | 'metrics'> {
  readonly key: string;
  readonly dataFolder: string;
  readonly call: CallService;
  /** Error lines of the service's log; each is a bug, whatever the response was. */
  readonly errors: readonly string[];
  /** Advances the clock of the service by milliseconds. */
  advance(ms: number): Promise<void>;
  /** Stops the service and removes its data; rejects when the service does not end cleanly. */
  stop(): Promise<void>;
}

const key = 'svc_fuzzed';
/**
 * Maximum number of active sessions. It exceeds the number that the fuzzer keeps active, so that creations are not all
 * refused.
 */
const sessionsMax = '400';

/** Starts a service with a new folder. */
export async function startFuzzedService(): Promise<FuzzedService> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-fuzz-'));
  const remove = (): void => rmSync(folder, { recursive: true, force: true });
  const forget = onExit(remove);
  const errors: string[] = [];
  const loopback = '127.0.0.1:0';
  const args = [
    '--port',
    '0',
    '--data',
    folder,
    '--hosts',
    'simulated',
    '--bootstrap-key',
    key,
    '--log-level',
    'error',
  ];
  const service = await startService({
    args: [...args, '--sessions-max', sessionsMax, '--retention', '1', '--control', loopback, '--metrics', loopback],
    env: { NODE_OPTIONS: '--import=./bench/collect-on-signal.ts' },
    onLog: (line) => void errors.push(line),
  });
  return {
    pid: service.pid,
    address: service.address,
    metrics: service.metrics,
    isRunning: () => service.isRunning(),
    key,
    dataFolder: folder,
    errors,
    call: createCall({ address: () => service.address, key }),
    async advance(ms) {
      const headers = { 'content-type': 'application/json' };
      const moved = await fetch(`${service.control}/clock`, {
        method: 'POST',
        headers,
        body: JSON.stringify({ advanceMs: ms }),
      });
      await moved.body?.cancel();
    },
    async stop() {
      try {
        if (service.isRunning()) await service.stop();
      } finally {
        remove();
        forget();
      }
    },
  };
}
