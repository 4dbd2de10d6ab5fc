// Plain JavaScript, because src/cli/keep-compiled.mjs calls it before Node loads TypeScript. Its types are in
// cache-folder.d.mts.
import { homedir } from 'node:os';
import { join } from 'node:path';

/**
 * Returns the absolute path of the cache folder, for an unpacked Chromium and compiled code. For root the folder is
 * outside of /root, because browsers run as another user. It is never a shared temporary folder, where other users
 * could plant files.
 */
export function cacheFolder(environment) {
  if (process.getuid?.() === 0) return '/var/cache/svc-contract';
  const base = environment['XDG_CACHE_HOME'];
  return join(base === undefined || base === '' ? join(homedir(), '.cache') : base, 'svc-contract');
}
