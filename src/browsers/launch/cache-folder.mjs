// Plain JavaScript, because src/cli/keep-compiled.mjs asks before Node loads a first source. Its types are in cache-folder.d.mts.
import { homedir } from 'node:os';
import { join } from 'node:path';

/**
 * As root it lies outside /root, because the browser runs as another user who cannot enter there. Never a shared temporary folder: anyone
 * could have put a file there before us.
 */
export function cacheFolder(environment) {
  if (process.getuid?.() === 0) return '/var/cache/svc-contract';
  const base = environment['XDG_CACHE_HOME'];
  return join(base === undefined || base === '' ? join(homedir(), '.cache') : base, 'svc-contract');
}
