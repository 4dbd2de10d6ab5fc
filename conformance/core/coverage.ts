/** What a run has seen of one operation, beside what its documents have. */
export interface OperationCoverage {
  /** Generation and id: `v3.getSession`. */
  operation: string;
  /** False where the target file says that it is not offered. */
  offered: boolean;
  /** Requests that were answered. */
  requests: number;
  /** Documented statuses. */
  statuses: Share<number>;
  /** Documented request members: `?pageSize` of the query, `files[].name` of the body. */
  sent: Share<string>;
  /** Documented members of success bodies: `items[].id`. */
  received: Share<string>;
  /** Ids of the requirements that judged at least one of its answers. */
  requirements: string[];
}

/** A documented list, split by what was seen. */
export interface Share<T> {
  seen: T[];
  unseen: T[];
}

/** Answers that are given before an operation looks at what it is for: wrong key, unknown id, wrong shape, too much. */
const atTheDoor: readonly number[] = [401, 404, 405, 413, 422, 429];

/**
 * Operations in scope that were never exercised: nobody has called them, or every answer was given at the door. A refusal
 * that the operation itself decides (400, 402, 403, 409) counts, because some have no other answer on some deployments.
 */
export function notExercised(coverage: readonly OperationCoverage[]): readonly OperationCoverage[] {
  return coverage.filter(
    ({ offered, statuses }) => offered && statuses.seen.every((status) => atTheDoor.includes(status)),
  );
}
