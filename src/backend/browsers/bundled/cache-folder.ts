import { homedir } from 'node:os';
import { join } from 'node:path';

/**
 * The folder that holds what we unpack. As root it lies outside /root, because the browser runs as another user who
 * cannot enter there. Never a shared temporary folder: anyone could have put a file there before us.
 */
export function cacheFolder(environment: Readonly<Record<string, string | undefined>>): string {
  if (process.getuid?.() === 0) return '/var/cache/svc-contract';
  const base = environment['XDG_CACHE_HOME'];
  return join(base === undefined || base === '' ? join(homedir(), '.cache') : base, 'svc-contract');
}
