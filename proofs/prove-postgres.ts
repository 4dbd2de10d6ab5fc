import { spawn } from 'node:child_process';
import { once } from 'node:events';

/** Runs every test that can run on PostgreSQL there; answers whether all pass. */
export async function provePostgres(): Promise<boolean> {
  const tests = spawn('npx', ['vitest', 'run', '--config', 'vitest.postgres.config.ts'], {
    env: { ...process.env, SVC_POSTGRES: 'all' },
    stdio: 'inherit',
  });
  const [code]: unknown[] = await once(tests, 'exit');
  return code === 0;
}
