import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { isMainThread } from 'node:worker_threads';

/*
 * Loaded into a measured service. It listens on the socket SVC_WATCH: `begin` starts a measurement. `end` returns as
 * JSON the longest blocking of the event loop, the longest processor time between two ticks, and the growth of memory.
 */
const tickMs = 5;
/**
 * Growth of memory in KiB since the last garbage collection. Above this growth, garbage is collected before a
 * measurement.
 */
const collectAboveKib = 24 * 1024;
const address = process.env['SVC_WATCH'];
// Child processes of the service are not measured.
delete process.env['SVC_WATCH'];
delete process.env['NODE_OPTIONS'];
if (isMainThread && address !== undefined) watch(address);

function watch(path: string): void {
  setFlagsFromString('--expose-gc');
  const collect: unknown = runInNewContext('gc');
  const delays = monitorEventLoopDelay({ resolution: tickMs });
  delays.enable();
  let last = { now: performance.now(), ...threadTimes() };
  let [blockedMs, busyMs] = [0, 0];
  let [restKib, collectedKib] = [0, 0];
  setInterval(() => {
    const next = { now: performance.now(), ...threadTimes() };
    // Subtracts the time in which the kernel ran other processes, because the input does not cause this time.
    blockedMs = Math.max(blockedMs, next.now - last.now - tickMs - (next.waitedMs - last.waitedMs));
    busyMs = Math.max(busyMs, next.ranMs - last.ranMs);
    last = next;
  }, tickMs).unref();
  const begin = (isThorough: boolean): void => {
    if (isThorough || residentKib('VmRSS') - collectedKib > collectAboveKib) {
      if (typeof collect === 'function') collect({ type: 'major', execution: 'sync', flavor: 'last-resort' });
      collectedKib = residentKib('VmRSS');
    }
    // Resets the peak resident size of the process (proc(5)).
    writeFileSync('/proc/self/clear_refs', '5');
    restKib = residentKib('VmRSS');
    last = { now: performance.now(), ...threadTimes() };
    [blockedMs, busyMs] = [0, 0];
  };
  const server = createServer((socket) => {
    socket.setEncoding('utf8').on('data', (text: string) => {
      if (text !== 'end\n') begin(text === 'begin thoroughly\n');
      const grownKib = residentKib('VmHWM') - restKib;
      const delayMs = delays.percentile(99) / 1e6;
      socket.write(`${JSON.stringify({ blockedMs, busyMs, grownMib: grownKib / 1024, delayMs })}\n`);
    });
    // The measuring program may have ended before it read the response.
    socket.on('error', () => undefined);
  });
  rmSync(path, { force: true });
  server.listen(path);
  server.unref();
}

/** Returns the milliseconds that the main thread has run on a processor, and has waited for a processor. */
function threadTimes(): { readonly ranMs: number; readonly waitedMs: number } {
  const [ran = '0', waited = '0'] = readFileSync('/proc/self/schedstat', 'utf8').split(' ');
  return { ranMs: Number(ran) / 1e6, waitedMs: Number(waited) / 1e6 };
}

function residentKib(name: 'VmRSS' | 'VmHWM'): number {
  return Number(new RegExp(`${name}:\\s+(\\d+)`).exec(readFileSync('/proc/self/status', 'utf8'))?.[1] ?? 0);
}
