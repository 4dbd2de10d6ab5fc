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
 * Returns the operations in scope that were never exercised: the run sent no request, or each was rejected before the
 * operation. A refusal by the operation itself (400, 402, 403, 409) counts: some deployments give no other answer.
 */
export function notExercised(coverage: readonly OperationCoverage[]): readonly OperationCoverage[] {
  return coverage.filter(
    ({ offered, statuses }) => offered && statuses.seen.every((status) => atTheDoor.includes(status)),
  );
}
