import { randomBytes } from 'node:crypto';
import { chmodSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ServiceProcess, startService } from '../../tools/conformance/svc-process.ts';
import type { ServiceAccess } from '../service-access.ts';

/** A service that rows share, with an API key. */
export interface StagedService extends ServiceProcess, ServiceAccess {
  readonly dataFolder: string;
}

/**
 * Services and folders that the rows of the benchmark share. A service starts at its first use, and ends with the stage
 * at the latest.
 */
export interface Stage {
  /** Number of alternating rounds for each figure, at least 1. */
  readonly rounds: number;
  /**
   * Returns a folder for temporary files. The first call with a name creates the folder; the end of the stage removes
   * it.
   */
  folder(name: string): string;
  /** Returns the service with a name. The first call with a name starts the service with the given flags. */
  service(name: string, ...flags: string[]): Promise<StagedService>;
  /** Ends a service that no later row uses, so that it does not slow down later rows. */
  end(name: string): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** Creates a stage; the caller disposes of the stage. */
export function createStage(rounds: number): Stage {
  const root = mkdtempSync(join(tmpdir(), 'svc-bench-'));
  chmodSync(root, 0o711);
  const key = `svc_${randomBytes(24).toString('base64url')}`;
  const services = new Map<string, StagedService>();
  const folder = (name: string): string => {
    const path = join(root, name);
    mkdirSync(path, { recursive: true, mode: 0o711 });
    return path;
  };
  const end = async (name: string): Promise<void> => {
    const service = services.get(name);
    services.delete(name);
    await service?.stop();
  };
  return {
    rounds,
    folder,
    end,
    async service(name, ...flags) {
      const known = services.get(name);
      if (known !== undefined) return known;
      const dataFolder = folder(name);
      const args = ['--port', '0', '--data', dataFolder, '--bootstrap-key', key, '--pressure-max', '100'];
      const env = { NODE_OPTIONS: '--import=./bench/collect-on-signal.ts' };
      const service = {
        ...(await startService({ args: [...args, ...flags], env, onLog: console.error })),
        key,
        dataFolder,
      };
      services.set(name, service);
      return service;
    },
    async [Symbol.asyncDispose]() {
      try {
        for (const name of services.keys()) await end(name);
      } finally {
        rmSync(root, { recursive: true, force: true });
      }
    },
  };
}
