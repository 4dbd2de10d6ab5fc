import { writeFileSync } from 'node:fs';
import { isMainThread } from 'node:worker_threads';

/*
 * Loaded into a measured program: writes its used processor time to the file SVC_USAGE at its end.
 */
const file = process.env['SVC_USAGE'];
if (file !== undefined && isMainThread)
  process.once('exit', () => {
    const { user, system } = process.cpuUsage();
    writeFileSync(file, JSON.stringify({ seconds: (user + system) / 1_000_000 }));
  });
