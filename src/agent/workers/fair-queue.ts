/** Jobs in the order in which they may run: first in, first out per owner, and round robin between owners. */
export interface FairQueue<Job> {
  /** Number of waiting jobs of an owner. */
  waiting(owner: string): number;
  add(owner: string, job: Job): void;
  /** Removes and returns the next job of an owner that may run one now; undefined when there is none. */
  take(mayRun: (owner: string) => boolean): { readonly owner: string; readonly job: Job } | undefined;
  /** Removes and returns all jobs. */
  drain(): Job[];
}

/** Creates an empty queue. */
export function createFairQueue<Job>(): FairQueue<Job> {
  // Iterated in insertion order: an owner whose job was taken is inserted again behind all others.
  const byOwner = new Map<string, Job[]>();
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
