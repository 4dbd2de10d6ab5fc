/** Coverage of one operation in a run, compared with the documents. */
export interface OperationCoverage {
  /** Generation and id: `v3.getSession`. */
  operation: string;
  /** False if the target file does not offer the operation. */
  offered: boolean;
  /** Number of requests with a response. */
  requests: number;
  /** Coverage of the documented statuses. */
  statuses: Share<number>;
  /** Coverage of the documented request members: `?pageSize` of the query, `files[].name` of the body. */
  sent: Share<string>;
  /** Coverage of the documented members of success bodies: `items[].id`. */
  received: Share<string>;
  /** Ids of the requirements that judged at least one response. */
  requirements: string[];
}

/** A documented list, split into the entries that the run exercised and those that it did not. */
export interface Share<T> {
  seen: T[];
  unseen: T[];
}

/**
 * Statuses that a service can return before it executes the operation: wrong key, unknown id, wrong schema, rate limit.
 */
const atTheDoor: readonly number[] = [401, 404, 405, 413, 422, 429];

/**
 * Returns the operations in scope that the run did not exercise: it sent no request, or each request was rejected
 * before it reached the operation. A refusal by the operation itself (400, 402, 403, 409) counts as exercised, because
 * some deployments give no other response.
 */
export function notExercised(coverage: readonly OperationCoverage[]): readonly OperationCoverage[] {
  return coverage.filter(
    ({ offered, statuses }) => offered && statuses.seen.every((status) => atTheDoor.includes(status)),
  );
}
