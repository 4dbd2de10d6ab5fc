import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { Socket } from 'node:net';
import { isMissing } from '#lib/system-errors.ts';

/** Returns the URL of a worker module beside the calling file: TypeScript in a checkout, JavaScript in the package. */
export function workerAddress(name: string, from: string): URL {
  return new URL(`./${name}.${from.endsWith('.ts') ? 'ts' : 'js'}`, from);
}

/** Limits of a pool. */
export interface PoolLimits {
  /** Maximum number of processes, and so of concurrent jobs. */
  readonly processes: number;
  /** Maximum number of concurrent jobs per owner. */
  readonly perOwner: number;
  /**
   * Maximum number of waiting jobs per owner, such as the requests of one project; a further job fails as `busy`.
   */
  readonly waitingPerOwner: number;
  /** Maximum processor time of a job in ms. Where the system does not report it, only real time is limited. */
  readonly timeMs: number;
  /** Maximum real time of a job in ms; larger than the processor time, for a loaded machine. */
  readonly realMs: number;
  /** Maximum heap of a process, in bytes. */
  readonly heapBytes: number;
  /** Maximum resident memory of a process, in bytes. */
  readonly memoryBytes: number;
  /** Time after which an idle process ends, in ms. */
  readonly idleMs: number;
}

/** Message with one job for a worker process. */
export interface JobMessage {
  readonly input: unknown;
  /** Maximum real time of the job, in ms. */
  readonly realMs: number;
}

/** Resources that a process has used. */
export interface ProcessUse {
  /** Processor time in ms. */
  readonly usedMs: number;
  readonly residentBytes: number;
}

/** Message of a worker process, with its resource usage. */
export type ReplyMessage = { readonly use: ProcessUse } & (
  | { readonly kind: 'ready' }
  | { readonly kind: 'done'; readonly output: unknown }
  | { readonly kind: 'failed'; readonly reason: string }
);

/**
 * Result of a job in a worker process. Without output: the limit that the job exceeded, or `closed` if the process was
 * killed for another reason.
 */
export type JobEnd =
  | { readonly ok: true; readonly output: unknown }
  | { readonly ok: false; readonly failure: 'time' | 'memory' | 'closed' };

/** A child process that runs jobs one after the other. It is killed when a job exceeds its limits. */
export interface WorkerProcess {
  readonly isAlive: boolean;
  /**
   * Whether the process can take another job: it is alive and uses at most half of its memory limit. Memory kept from
   * earlier jobs could make the next job fail.
   */
  readonly isFit: boolean;
  /** Runs one job; never called while another job is running. Rejects for a defect of the work or of the process. */
  do(input: unknown): Promise<JobEnd>;
  /** Kills the process; a running job ends as `closed`. Resolves when the process has ended. */
  end(): Promise<void>;
}

const pollMs = 25;
const stderrMax = 4_000;
const outOfMemory = /out of memory|allocation failed|invalid (?:array|table|string|size)/i;

/** Starts a worker process. While idle, it does not keep the parent process alive. */
export function startWorkerProcess(file: URL, limits: PoolLimits): WorkerProcess {
  return new ForkedProcess(file, limits);
}

class ForkedProcess implements WorkerProcess {
  readonly #child: ChildProcess;
  readonly #limits: PoolLimits;
  readonly #ready = Promise.withResolvers<void>();
  #job: PromiseWithResolvers<JobEnd> | undefined;
  #failure: 'time' | 'memory' | 'closed' | undefined;
  /** Resource use before the job, as reported by the process. */
  #use: ProcessUse = { usedMs: 0, residentBytes: 0 };
  #stderr = '';

  constructor(file: URL, limits: PoolLimits) {
    this.#limits = limits;
    const heapMb = Math.ceil(limits.heapBytes / 1_048_576);
    this.#child = fork(file, [], {
      env: {},
      // Permission to read modules only; the process may not write files or start processes.
      execArgv: [`--max-old-space-size=${heapMb}`, '--max-semi-space-size=4', '--permission', '--allow-fs-read=*'],
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    });
    this.#child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.#stderr = (this.#stderr + text).slice(0, stderrMax);
    });
    this.#child.on('message', (message: ReplyMessage) => this.#hear(message));
    this.#child.on('error', (error) => this.#fail(error));
    this.#child.once('close', (code, signal) => this.#ended(code, signal));
    // Only a job waits for this promise. The job handles the rejection.
    this.#ready.promise.catch(() => undefined);
    this.#keepAlive(false);
  }

  get isAlive(): boolean {
    return this.#failure === undefined && this.#child.exitCode === null && this.#child.signalCode === null;
  }

  get isFit(): boolean {
    return this.isAlive && this.#use.residentBytes <= this.#limits.memoryBytes / 2;
  }

  async do(input: unknown): Promise<JobEnd> {
    const job = Promise.withResolvers<JobEnd>();
    this.#job = job;
    this.#keepAlive(true);
    const over = new AbortController();
    try {
      this.#watch(over.signal).catch((error: unknown) => job.reject(error));
      await Promise.race([this.#ready.promise, job.promise]);
      const message: JobMessage = { input, realMs: this.#limits.realMs };
      if (this.isAlive) this.#child.send(message);
      return await job.promise;
    } finally {
      over.abort();
      this.#job = undefined;
      this.#keepAlive(false);
    }
  }

  async end(): Promise<void> {
    this.#kill('closed');
    this.#keepAlive(true);
    const { exitCode, signalCode, pid } = this.#child;
    if (pid !== undefined && exitCode === null && signalCode === null) await once(this.#child, 'exit');
  }

  /** Kills the process as soon as the job, or the start before it, exceeds its limits. */
  async #watch(over: AbortSignal): Promise<void> {
    const { timeMs, realMs, memoryBytes } = this.#limits;
    const since = performance.now();
    while (!over.aborted && this.isAlive) {
      await pause(pollMs);
      if (over.aborted) return;
      const use = processUse(this.#child.pid);
      if (performance.now() - since > realMs || (use !== null && use.usedMs - this.#use.usedMs > timeMs))
        this.#kill('time');
      else if (use !== null && use.residentBytes > memoryBytes) this.#kill('memory');
    }
  }

  #kill(failure: 'time' | 'memory' | 'closed'): void {
    this.#failure ??= failure;
    this.#child.kill('SIGKILL');
  }

  #hear(message: ReplyMessage): void {
    this.#use = message.use;
    if (message.kind === 'ready') this.#ready.resolve();
    else if (message.kind === 'done') this.#job?.resolve({ ok: true, output: message.output });
    else this.#job?.reject(new Error(`a job of a worker process failed: ${message.reason}`));
  }

  #ended(code: number | null, signal: string | null): void {
    // The kernel also uses SIGKILL for a process that takes too much memory.
    const isFull = outOfMemory.test(this.#stderr) || signal === 'SIGKILL';
    const failure = this.#failure ?? (isFull ? 'memory' : undefined);
    if (failure === undefined)
      this.#fail(new Error(`a worker process ended (${signal ?? `code ${code}`}): ${this.#stderr}`));
    else this.#job?.resolve({ ok: false, failure });
  }

  #fail(error: Error): void {
    this.#failure ??= 'closed';
    this.#ready.reject(error);
    this.#job?.reject(error);
  }

  #keepAlive(isBusy: boolean): void {
    const { channel, stderr } = this.#child;
    const action = isBusy ? 'ref' : 'unref';
    this.#child[action]();
    channel?.[action]();
    if (stderr instanceof Socket) stderr[action]();
  }
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => void setTimeout(resolve, ms));
}

/** Clock ticks per second in /proc, equal on every Linux. */
const ticksPerSecond = 100;

/** Returns the resource usage of a process; null when it has ended or the system does not report it. */
function processUse(pid: number | undefined): ProcessUse | null {
  const [stat, status] = ['stat', 'status'].map((name) => readProcess(`/proc/${pid}/${name}`));
  if (stat === undefined || status === undefined) return null;
  // The command name in parentheses may contain blanks: fields are counted after it, beginning with the third field.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const ticks = Number(fields[11]) + Number(fields[12]);
  const kilobytes = Number(/^VmRSS:\s*(\d+) kB$/m.exec(status)?.[1] ?? 0);
  return { usedMs: (ticks * 1_000) / ticksPerSecond, residentBytes: kilobytes * 1_024 };
}

/**
 * Reads a file of /proc synchronously, because the kernel provides it from memory; undefined if the process has ended,
 * and on systems without /proc.
 */
function readProcess(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}
