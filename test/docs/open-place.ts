import { type ChildProcess, spawn } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { leftProcesses } from '../../tools/conformance/left-processes.ts';
import { fillCheckout } from './fill-checkout.ts';
import { fillProject } from './fill-project.ts';
import type { Block } from './read-blocks.ts';
import type { StandIns } from './stand-ins.ts';

/** What a block came to. */
export interface Ran {
  /** Null for one that goes on. */
  readonly code: number | null;
  readonly output: string;
}

/** A folder where the blocks of one document are run one after another. */
export interface Place {
  readonly folder: string;
  /** Runs a block of `sh`; resolves at its end, or when it has printed what its marker says. */
  run(block: Block, standIns: StandIns): Promise<Ran>;
  /** Writes a block that is a file. */
  write(block: Block, standIns: StandIns): void;
  /** Ends what goes on as Ctrl-C does, and removes the folder; answers the command lines of what goes on all the same. */
  close(): Promise<string[]>;
}

/** Opens a folder that looks like a checkout or, for the README of an example, like a partner's project with the files of that example. */
export function openPlace(document = 'README.md'): Place {
  const folder = mkdtempSync(join(tmpdir(), 'svc-docs-'));
  // Browsers run as another user where the system allows it: that user passes through.
  chmodSync(folder, 0o711);
  const commands = document.startsWith('examples/') ? fillProject(folder, dirname(document)) : fillCheckout(folder);
  const going: ChildProcess[] = [];
  return {
    folder,
    async run({ text, marker }, standIns) {
      const child = spawn('bash', ['-c', scriptOf(standIns(text))], {
        cwd: folder,
        env: { ...cleanEnvironment(), ...marker.with, PATH: [...commands, process.env['PATH'] ?? ''].join(delimiter) },
        detached: true,
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      going.push(child);
      return outcomeOf(child, marker.stays);
    },
    write({ text, marker }, standIns) {
      const file = join(folder, marker.file ?? '');
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, `${standIns(text)}\n`);
    },
    async close() {
      for (const child of going.toReversed()) await interrupt(child);
      const left = leftProcesses(folder);
      for (const child of going) endGroup(child, 'SIGKILL');
      rmSync(folder, { recursive: true, force: true });
      return left;
    },
  };
}

/** Ours without what a person may have set for the service, with browsers that take no time unless a block says otherwise. */
function cleanEnvironment(): NodeJS.ProcessEnv {
  const notOurs = /^(SVC_|SERVICE_|VITEST|NODE_OPTIONS|FORCE_COLOR|npm_)/;
  const kept = Object.entries(process.env).filter(([name]) => !notOurs.test(name));
  return { ...Object.fromEntries(kept), SVC_HOSTS: 'simulated' };
}

/** A shell of its own for each block, with the variables that the blocks before have set: as typed one after another. */
function scriptOf(text: string): string {
  const before = 'set -euo pipefail; set -a; [ ! -f .variables ] || . ./.variables';
  return `${before}; trap 'export -p | grep -v "^declare -x \\(PATH\\|SVC_HOSTS\\)=" > .variables' EXIT\n${text}\n`;
}

function outcomeOf(child: ChildProcess, stays: string | undefined): Promise<Ran> {
  let output = '';
  return new Promise((done, fail) => {
    const take = (chunk: Buffer): void => {
      output += chunk.toString();
      if (stays !== undefined && output.includes(stays)) done({ code: null, output });
    };
    child.stdout?.on('data', take);
    child.stderr?.on('data', take);
    child.once('error', fail);
    child.once('close', (code) => done({ code, output }));
  });
}

/** Ctrl-C: a terminal gives it to all that runs in front. */
async function interrupt(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise((done) => child.once('exit', done));
  endGroup(child, 'SIGINT');
  await ended;
}

function endGroup({ pid }: ChildProcess, signal: NodeJS.Signals): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, signal);
  } catch (error) {
    // Nothing of it runs any more.
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
  }
}
