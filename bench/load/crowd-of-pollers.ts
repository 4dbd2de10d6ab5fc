import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { PollerOrder, PollerReport } from './poller.ts';

/** Polling clients. */
export interface Pollers {
  /** Ends the clients and returns their report. */
  end(): Promise<PollerReport>;
}

/** Starts clients in a child process, so that they take no time from the measured server. */
export function startPollers(order: PollerOrder): Pollers {
  const child: ChildProcess = fork(join(import.meta.dirname, 'poller.ts'));
  child.send(order);
  return {
    async end() {
      const told = once(child, 'message');
      child.send('end');
      const [report]: unknown[] = await told;
      return read(report);
    },
  };
}

function read(report: unknown): PollerReport {
  const isReport = typeof report === 'object' && report !== null && 'times' in report && 'errors' in report;
  if (!isReport || !Array.isArray(report.times) || !Array.isArray(report.errors))
    throw new Error('the pollers told nothing');
  return { times: report.times.map(Number), errors: report.errors.map(String) };
}
