import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { startClients } from './clients/clients.ts';
import { endProgram } from './run-program.ts';

const waiting = join(import.meta.dirname, 'clients/busy-clients.ts');

it.each(['SIGTERM', 'disconnect'] as const)(
  'ends a forked program by %s, and does nothing for an ended program',
  async (how) => {
    const child = fork(waiting);
    await endProgram(child, how);
    expect(child.exitCode ?? child.signalCode).not.toBeNull();
    await endProgram(child, how);
  },
);

it('does nothing for a program that a signal has ended', async () => {
  const child = fork(waiting);
  child.kill('SIGKILL');
  await once(child, 'exit');
  await endProgram(child, 'disconnect');
});

it('ends clients that have ended already', () => {
  const clients = startClients();
  clients.end();
  clients.end();
});
