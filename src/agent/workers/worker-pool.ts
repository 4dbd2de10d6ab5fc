import { getLimit, type RuleBook } from '#contract/rule-book.ts';
import { type JobEnd, type PoolLimits, startWorkerProcess, type WorkerProcess } from './worker-process.ts';

/** A queue of jobs: first in, first out per owner, and round robin between owners. */
export interface FairQueue<Item> {
  /** Number of waiting jobs of an owner. */
  waiting(owner: string): number;
  add(owner: string, job: Item): void;
  /** Removes and returns the next job of an eligible owner; undefined without one. */
  take(mayRun: (owner: string) => boolean): { readonly owner: string; readonly job: Item } | undefined;
  /** Removes and returns all jobs. */
  drain(): Item[];
}

/** Creates an empty queue. */
function createFairQueue<Item>(): FairQueue<Item> {
  // Iterated in insertion order: an owner whose job was taken is inserted again after all others.
  const byOwner = new Map<string, Item[]>();
  return {
    waiting: (owner) => byOwner.get(owner)?.length ?? 0,
    add(owner, job) {
      const jobs = byOwner.get(owner);
      if (jobs === undefined) byOwner.set(owner, [job]);
      else jobs.push(job);
    },
    take(mayRun) {
      for (const [owner, [job, ...later]] of byOwner) {
        if (job === undefined || !mayRun(owner)) continue;
        byOwner.delete(owner);
        if (later.length > 0) byOwner.set(owner, later);
        return { owner, job };
      }
      return undefined;
    },
    drain() {
      const jobs = [...byOwner.values()].flat();
      byOwner.clear();
      return jobs;
    },
  };
}

/** Reason why a job has no output: it exceeded a limit, its owner has too many waiting jobs, or the pool was closed. */
export type JobFailure = 'time' | 'memory' | 'busy' | 'closed';

/** Result of a job. */
export type JobResult<Output> =
  | { readonly ok: true; readonly output: Output }
  | { readonly ok: false; readonly failure: JobFailure };

/** A pool of worker processes that run jobs. The first job starts the first process. The pool's creator closes it. */
export interface WorkerPool<Input, Output> {
  /**
   * Runs a job in its owner's turn. Fails as `busy` when the owner has `waitingMax` waiting jobs already. Rejects only
   * for a defect of the work or of its process.
   *
   * @defaultValue `waitingMax` is `waitingPerOwner` of the limits
   */
  run(owner: string, input: Input, waitingMax?: number): Promise<JobResult<Output>>;
  /** Ends every process and job; resolves when they have ended. */
  close(): Promise<void>;
}

/** Returns the pool limits of spec/rules/limits.yaml. */
export function poolLimits(rules: RuleBook): PoolLimits {
  return {
    processes: getLimit(rules, 'workerProcesses'),
    perOwner: getLimit(rules, 'workerJobsPerOwner'),
    waitingPerOwner: getLimit(rules, 'workerJobsWaiting'),
    timeMs: getLimit(rules, 'workerTime'),
    realMs: getLimit(rules, 'workerRealTime'),
    heapBytes: getLimit(rules, 'workerHeap'),
    memoryBytes: getLimit(rules, 'workerMemory'),
    idleMs: getLimit(rules, 'workerIdle'),
  };
}

/**
 * Creates a pool whose processes run `file`, a module that calls `serveJobs`. No process starts before the first job.
 */
export function createWorkerPool<Input, Output>(file: URL, limits: PoolLimits): WorkerPool<Input, Output> {
  return new ProcessPool(file, limits);
}

interface Job<Input, Output> {
  readonly input: Input;
  readonly result: PromiseWithResolvers<JobResult<Output>>;
}

class ProcessPool<Input, Output> implements WorkerPool<Input, Output> {
  readonly #file: URL;
  readonly #limits: PoolLimits;
  readonly #queue = createFairQueue<Job<Input, Output>>();
  readonly #running = new Map<string, number>();
  readonly #busy = new Set<WorkerProcess>();
  /** Processes without a job, each with the timer that ends it. */
  readonly #idle = new Map<WorkerProcess, NodeJS.Timeout>();
  #isClosed = false;

  constructor(file: URL, limits: PoolLimits) {
    this.#file = file;
    this.#limits = limits;
  }

  async run(
    owner: string,
    input: Input,
    waitingMax: number = this.#limits.waitingPerOwner,
  ): Promise<JobResult<Output>> {
    if (this.#isClosed) return { ok: false, failure: 'closed' };
    if (this.#queue.waiting(owner) >= waitingMax) return { ok: false, failure: 'busy' };
    const result = Promise.withResolvers<JobResult<Output>>();
    this.#queue.add(owner, { input, result });
    this.#next();
    return result.promise;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    for (const { result } of this.#queue.drain()) result.resolve({ ok: false, failure: 'closed' });
    for (const timer of this.#idle.values()) clearTimeout(timer);
    await Promise.all([...this.#idle.keys(), ...this.#busy].map((worker) => worker.end()));
  }

  #next(): void {
    while (this.#busy.size < this.#limits.processes) {
      const next = this.#queue.take((owner) => (this.#running.get(owner) ?? 0) < this.#limits.perOwner);
      if (next === undefined) return;
      void this.#do(next.owner, next.job);
    }
  }

  async #do(owner: string, { input, result }: Job<Input, Output>): Promise<void> {
    const worker = this.#takeIdle() ?? startWorkerProcess(this.#file, this.#limits);
    this.#busy.add(worker);
    this.#running.set(owner, (this.#running.get(owner) ?? 0) + 1);
    try {
      result.resolve(asResult<Output>(await worker.do(input)));
    } catch (error) {
      result.reject(error);
    }
    const left = (this.#running.get(owner) ?? 1) - 1;
    if (left === 0) this.#running.delete(owner);
    else this.#running.set(owner, left);
    this.#busy.delete(worker);
    this.#release(worker);
    this.#next();
  }

  #takeIdle(): WorkerProcess | undefined {
    for (const [worker, timer] of this.#idle) {
      clearTimeout(timer);
      this.#idle.delete(worker);
      if (worker.isAlive) return worker;
    }
    return undefined;
  }

  #release(worker: WorkerProcess): void {
    if (this.#isClosed) return;
    const end = (): void => {
      this.#idle.delete(worker);
      void worker.end();
    };
    if (worker.isFit) this.#idle.set(worker, setTimeout(end, this.#limits.idleMs).unref());
    else end();
  }
}

/**
 * Returns the result of a job. Casts the output to the output type of the pool, because messages of processes are
 * untyped.
 */
function asResult<Output>(end: JobEnd): JobResult<Output> {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- an edge of the process, as said above
  return end.ok ? { ok: true, output: end.output as Output } : end;
}
