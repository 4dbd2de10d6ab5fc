import { readdir, readlink, rm } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { pino } from 'pino';
import { createSimulatedHost } from '#browsers/simulated/simulated-host.ts';
import { defaultRules } from '#contract/rule-book.ts';
import { createClock } from '#lib/clock.ts';
import { unlessMissing } from '#lib/system-errors.ts';
import { createOfflinePlanner } from '#planner/index.ts';
import { quickFolder } from '../../test/support/quick-folder.ts';
import { startBackend } from '../../test/support/start-backend.ts';
import { createBackend } from './create-backend.ts';

describe('a backend', () => {
  it('closes its database when another part cannot be closed', async () => {
    const host = { ...createSimulatedHost(), close: () => Promise.reject(new Error('the browser process hangs')) };
    const service = await startBackend({ host });
    await expect(service.stop()).rejects.toThrow('the browser process hangs');
    await expect(service.backend.db.selectFrom('projects').select('id').execute()).rejects.toThrow(
      /destroyed|closed|not open/,
    );
  });

  it('is closed once, however often that is asked for', async () => {
    let closes = 0;
    const simulated = createSimulatedHost();
    const host = { ...simulated, close: () => ((closes += 1), simulated.close()) };
    const service = await startBackend({ host });
    await Promise.all([service.backend.close(), service.backend.close()]);
    await service.stop();
    expect(closes).toBe(1);
  });

  it('closes its database when a bootstrap key is wrong', async () => {
    const dataFolder = quickFolder('svc-wrong-key-');
    const options = {
      dataFolder,
      host: createSimulatedHost(),
      agent: createOfflinePlanner({ testTasks: true }),
      clock: createClock(),
      rules: defaultRules,
      limits: { inactivityMs: 900_000, activeSessionsMax: 1 },
      log: pino({ enabled: false }),
      bootstrapKeys: ['wrong'],
      verifyEveryNth: 1,
    };
    await expect(createBackend(options)).rejects.toThrow('found a bootstrap key');
    const descriptors = await readdir('/proc/self/fd');
    const files = descriptors.map((name) => readlink(`/proc/self/fd/${name}`).catch(unlessMissing('')));
    expect((await Promise.all(files)).filter((file) => file.startsWith(dataFolder))).toEqual([]);
    await rm(dataFolder, { recursive: true });
  });
});
