import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/*
 * Loaded into a service that is measured: SIGUSR2 makes it throw away what nobody uses, so that what is left is what it holds.
 * Without it a service that grows cannot be told from one that has not tidied up yet.
 */
setFlagsFromString('--expose-gc');
const collect: unknown = runInNewContext('gc');
process.on('SIGUSR2', () => {
  if (typeof collect === 'function') collect({ type: 'major', execution: 'sync', flavor: 'last-resort' });
});
