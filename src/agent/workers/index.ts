/*
 * Work on foreign input (output schemas, mails) in child processes with bounded processor time, real time and memory.
 * Called by the judge of outputs and by the mailroom, each with a worker file of its own. A heap limit of a worker thread can abort the
 * whole process (decision 37), therefore work that may exceed its memory runs in a process. Must not know what the work is about.
 */
export { type PoolLimits, workerAddress } from './worker-process.ts';
export { serveJobs } from './serve-jobs.ts';
export {
  type JobFailure,
  type JobResult,
  type WorkerPool,
  createWorkerPool,
  poolLimits,
} from './worker-pool.ts';
