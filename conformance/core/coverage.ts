/** Coverage of one operation in a run: which documented statuses and members the requests and responses had. */
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
  /** Ids of the requirements that judged at least one response of the operation. */
  requirements: string[];
}

/** A documented list, split into the entries that the run exercised and those that it did not. */
export interface Share<T> {
  seen: T[];
  unseen: T[];
}

/**
 * Statuses that a service can return before it executes the operation: for a wrong key, an unknown id, an invalid
 * request or too many requests.
 */
export const statusesBeforeExecution: readonly number[] = [401, 404, 405, 413, 422, 429];

/**
 * Returns the offered operations that the run did not exercise: it sent no request, or each response had a status of
 * `statusesBeforeExecution`. A refusal by the operation itself (400, 402, 403, 409) counts as exercised, because some
 * deployments give no other response.
 */
export function notExercised(coverage: readonly OperationCoverage[]): readonly OperationCoverage[] {
  return coverage.filter(
    ({ offered, statuses }) => offered && statuses.seen.every((status) => statusesBeforeExecution.includes(status)),
  );
}
