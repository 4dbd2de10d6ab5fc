import { readlink } from 'node:fs/promises';
import { commandLine } from './process-table.ts';
import { listProcesses, type ProcessStatus } from './process-status.ts';

/** What really holds the pages of a browser, as the kernel shows it of a running one. */
export interface SandboxReport {
  /** The user that browsers run as. */
  readonly uid: number;
  /** Whether that is another one than the service's. */
  readonly ownUser: boolean;
  /** Whether its processes are a group of their own, which one signal ends. */
  readonly ownGroup: boolean;
  /** What Chromium's own sandbox is made of; `none` when the process of a page is held by nothing. */
  readonly sandbox: 'namespaces' | 'seccomp only' | 'none';
  /** Of the process of a page: whether its users, processes and network are not the machine's; null where the kernel does not tell us. */
  readonly userNamespace: boolean | null;
  readonly pidNamespace: boolean;
  readonly networkNamespace: boolean | null;
  /** Whether its system calls are filtered. */
  readonly seccomp: boolean;
  /** Whether it can never gain rights. */
  readonly noNewPrivileges: boolean;
  /** Whether the browser was started with our proxy for everything, loopback included. */
  readonly egressProxy: boolean;
}

/** Reads what holds the pages of a browser with that main process; rejects when it shows no page. */
export async function readSandbox(pid: number): Promise<SandboxReport> {
  const group = (await listProcesses()).filter((process) => process.group === pid);
  const page = await findPage(group);
  if (page === null) throw new Error(`No process of browser ${pid} shows a page.`);
  const [userNamespace, networkNamespace] = [await isApart(page.pid, 'user'), await isApart(page.pid, 'net')];
  const arguments_ = await commandLine(pid);
  const pidNamespace = page.pidNamespaces > 1;
  return {
    uid: page.uid,
    ownUser: page.uid !== process.getuid?.(),
    ownGroup: group.some((member) => member.pid === pid),
    sandbox: pidNamespace ? 'namespaces' : page.isFiltered ? 'seccomp only' : 'none',
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
    // Chromium writes the arguments of its children as one text.
    const text = (await commandLine(member.pid)).join(' ');
    if (/(?:^|\s)--type=renderer(?:\s|$)/.test(text)) return member;
  }
  return null;
}

async function isApart(pid: number, kind: 'user' | 'net'): Promise<boolean | null> {
  try {
    return (await readlink(`/proc/${pid}/ns/${kind}`)) !== (await readlink(`/proc/self/ns/${kind}`));
  } catch {
    // Another user's process does not show it to everybody, and one that has ended shows nothing.
    return null;
  }
}
