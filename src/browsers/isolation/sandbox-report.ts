import { readlink } from 'node:fs/promises';
import { commandLine } from './process-table.ts';
import { listProcesses, type ProcessStatus } from './process-status.ts';

/** Isolation of the pages of a running browser, as reported by the kernel. */
export interface SandboxReport {
  /** User id of the browser. */
  readonly uid: number;
  /** Whether the browser runs as another user than the service. */
  readonly ownUser: boolean;
  /** Whether the browser's processes form a process group of their own, so that a single signal ends all of them. */
  readonly ownGroup: boolean;
  /**
   * Kind of Chromium's own sandbox. `none`: the process of a page has neither a namespace nor a system call filter of
   * its own.
   */
  readonly sandbox: 'namespaces' | 'seccomp only' | 'none';
  /**
   * Whether the process of a page has a user namespace of its own; `pidNamespace` and `networkNamespace` say the same
   * of the process and network namespaces. Null when the kernel does not show the namespace.
   */
  readonly userNamespace: boolean | null;
  readonly pidNamespace: boolean;
  readonly networkNamespace: boolean | null;
  /** Whether the system calls of the process of a page are filtered. */
  readonly seccomp: boolean;
  /** Whether the process of a page can never gain privileges. */
  readonly noNewPrivileges: boolean;
  /**
   * Whether the command line of the browser sends all traffic to the egress proxy, even traffic to loopback addresses.
   */
  readonly egressProxy: boolean;
}

/**
 * Reads from the kernel how the pages of a running browser are isolated. `pid` is the id of the browser's main process.
 * Rejects when the browser has no process that shows a page.
 */
export async function readSandbox(pid: number): Promise<SandboxReport> {
  const group = (await listProcesses()).filter((process) => process.group === pid);
  const page = await findPage(group);
  if (page === null) throw new Error(`No process of browser ${pid} shows a page.`);
  const [userNamespace, networkNamespace] = [await isApart(page.pid, 'user'), await isApart(page.pid, 'net')];
  const arguments_ = await commandLine(pid);
  const pidNamespace = page.pidNamespaces > 1;
  const withoutNamespaces = page.isFiltered ? 'seccomp only' : 'none';
  return {
    uid: page.uid,
    ownUser: page.uid !== process.getuid?.(),
    ownGroup: group.some((member) => member.pid === pid),
    sandbox: pidNamespace ? 'namespaces' : withoutNamespaces,
    userNamespace,
    pidNamespace,
    networkNamespace,
    seccomp: page.isFiltered,
    noNewPrivileges: page.gainsNoRights,
    egressProxy: arguments_.includes('--proxy-bypass-list=<-loopback>') && arguments_.some(isOurProxy),
  };
}

function isOurProxy(argument: string): boolean {
  return argument.startsWith('--proxy-server=http://127.0.0.1:');
}

async function findPage(group: readonly ProcessStatus[]): Promise<ProcessStatus | null> {
  for (const member of group) {
    // Chromium writes the arguments of its child processes as one text.
    const text = (await commandLine(member.pid)).join(' ');
    if (/(?:^|\s)--type=renderer(?:\s|$)/.test(text)) return member;
  }
  return null;
}

async function isApart(pid: number, kind: 'user' | 'net'): Promise<boolean | null> {
  try {
    return (await readlink(`/proc/${pid}/ns/${kind}`)) !== (await readlink(`/proc/self/ns/${kind}`));
  } catch {
    // Namespaces of another user's process are not readable, and an ended process has none.
    return null;
  }
}
