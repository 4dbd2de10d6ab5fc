import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/*
 * Loaded into a measured service: SIGUSR2 runs a full garbage collection, so that only referenced memory remains.
 * Without a collection, growth could not be distinguished from uncollected garbage.
 */
setFlagsFromString('--expose-gc');
const collect: unknown = runInNewContext('gc');
process.on('SIGUSR2', () => {
  if (typeof collect === 'function') collect({ type: 'major', execution: 'sync', flavor: 'last-resort' });
});
