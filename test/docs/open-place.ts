import { type ChildProcess, spawn } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { leftProcesses } from '../../tools/conformance/svc-process.ts';
import { fillCheckout } from './fill-checkout.ts';
import { fillProject } from './fill-project.ts';
import type { Block } from './read-blocks.ts';
import type { StandIns } from './stand-ins.ts';

/** Result of running a Markdown code block. */
export interface Ran {
  /** null for a block that continues to run. */
  readonly code: number | null;
  readonly output: string;
}

/** A folder in which the code blocks of one document run in order. */
export interface Place {
  readonly folder: string;
  /**
   * Runs a code block in `sh`. Resolves when the block has ended; if its marker has `stays`, resolves when the block
   * has printed this text.
   */
  run(block: Block, standIns: StandIns): Promise<Ran>;
  /** Writes a block that is a file. */
  write(block: Block, standIns: StandIns): void;
  /**
   * Ends running commands like Ctrl-C, kills the processes that remain, and removes the folder. Returns the command
   * lines of the remaining processes.
   */
  close(): Promise<string[]>;
}

/** Opens a folder that looks like a checkout or, for the README of an example, like a project with its files. */
export function openPlace(document = 'README.md'): Place {
  const folder = mkdtempSync(join(tmpdir(), 'svc-docs-'));
  // Browsers run as another user where possible, which needs to enter the folder.
  chmodSync(folder, 0o711);
  const commands = document.startsWith('examples/') ? fillProject(folder, dirname(document)) : fillCheckout(folder);
  const going: ChildProcess[] = [];
  return {
    folder,
    async run({ text, marker }, standIns) {
      const child = spawn('bash', ['-c', createScript(standIns(text))], {
        cwd: folder,
        env: { ...cleanEnvironment(), ...marker.with, PATH: [...commands, process.env['PATH'] ?? ''].join(delimiter) },
        detached: true,
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      going.push(child);
      return waitForOutcome(child, marker.stays);
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

/**
 * Returns the environment of this process without settings of the service, npm and vitest. It selects simulated
 * browsers unless a block sets something else.
 */
function cleanEnvironment(): NodeJS.ProcessEnv {
  const notOurs = /^(SVC_|SERVICE_|VITEST|NODE_OPTIONS|FORCE_COLOR|npm_)/;
  const kept = Object.entries(process.env).filter(([name]) => !notOurs.test(name));
  return { ...Object.fromEntries(kept), SVC_HOSTS: 'simulated' };
}

/**
 * Returns a shell script that runs a block with the variables of earlier blocks and saves the block's variables for
 * later blocks.
 */
function createScript(text: string): string {
  const before = 'set -euo pipefail; set -a; [ ! -f .variables ] || . ./.variables';
  return `${before}; trap 'export -p | grep -v "^declare -x \\(PATH\\|SVC_HOSTS\\)=" > .variables' EXIT\n${text}\n`;
}

function waitForOutcome(child: ChildProcess, stays: string | undefined): Promise<Ran> {
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

/**
 * Sends SIGINT to the process group of a command, as a terminal does for Ctrl-C, and waits until the command has ended.
 */
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
    // No process is left.
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
  }
}
