import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLocalHost, type HostReport } from '#browsers/index.ts';
import type { Finding } from './finding.ts';
import { messageOf } from './message-of.ts';

/** Starts a browser in a folder of its own and reads from the kernel what really holds its pages. */
export async function examineIsolation(): Promise<Finding> {
  const directory = await mkdtemp(join(tmpdir(), 'svc-doctor-'));
  const host = await createLocalHost({ directory, log: { info: () => undefined, warn: () => undefined } });
  try {
    const report = await host.inspect?.();
    return { ok: true, subject: 'isolation', text: report === undefined ? 'nothing is known' : describe(report) };
  } catch (error) {
    return { ok: false, subject: 'isolation', text: messageOf(error) };
  } finally {
    await host.close();
    await rm(directory, { recursive: true, force: true });
  }
}

function describe({ isolation }: HostReport): string {
  const { uid, ownUser, sandbox, seccomp, noNewPrivileges, egressProxy } = isolation;
  return [
    `user ${uid}${ownUser ? ' of its own' : ', who runs the service too: start it as root to separate them'}`,
    sandbox === 'none'
      ? 'NO sandbox: let users make namespaces (kernel.unprivileged_userns_clone)'
      : `sandbox of ${sandboxParts(isolation)}`,
    seccomp ? 'system calls filtered' : 'system calls NOT filtered',
    noNewPrivileges ? 'gains no rights' : 'CAN gain rights',
    egressProxy ? 'every request through the egress proxy' : 'NO egress proxy',
  ].join('; ');
}

function sandboxParts({ userNamespace, pidNamespace, networkNamespace }: HostReport['isolation']): string {
  const apart = [
    ...(userNamespace === false ? [] : ['users']),
    ...(pidNamespace ? ['processes'] : []),
    ...(networkNamespace === false ? [] : ['network']),
  ];
  return apart.length === 0 ? 'filtered system calls only' : `namespaces (${apart.join(', ')})`;
}
