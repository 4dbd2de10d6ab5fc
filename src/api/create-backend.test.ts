import { describe, expect, it } from 'vitest';
import { createSimulatedHost } from '#browsers/simulated/simulated-host.ts';
import { startBackend } from '../../test/support/start-backend.ts';

describe('a backend', () => {
  it('closes its database when another part cannot be closed', async () => {
    const host = { ...createSimulatedHost(), close: () => Promise.reject(new Error('the browser process hangs')) };
    const service = await startBackend({ host });
    await expect(service.stop()).rejects.toThrow('the browser process hangs');
    await expect(service.backend.db.selectFrom('projects').select('id').execute()).rejects.toThrow(
      /destroyed|closed|not open/,
    );
  });
});
