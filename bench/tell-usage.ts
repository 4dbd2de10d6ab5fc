import { writeFileSync } from 'node:fs';
import { isMainThread } from 'node:worker_threads';

/* Loaded into a program that is measured: at its end it writes how much processor time it has used to the file that SVC_USAGE names. */
const file = process.env['SVC_USAGE'];
if (file !== undefined && isMainThread)
  process.once('exit', () => {
    const { user, system } = process.cpuUsage();
    writeFileSync(file, JSON.stringify({ seconds: (user + system) / 1_000_000 }));
  });
