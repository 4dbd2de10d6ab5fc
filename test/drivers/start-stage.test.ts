import { expect, it } from 'vitest';
import { startStage } from './start-stage.ts';

it('gives the service its environment variables', async () => {
  const started = startStage({ NODE_OPTIONS: '--no-such-option' });
  started.then(
    (stage) => stage.stop(),
    () => undefined,
  );
  await expect(started).rejects.toThrow('--no-such-option is not allowed in NODE_OPTIONS');
});
