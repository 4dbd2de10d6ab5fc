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

/** Operations in scope that no request has reached. */
export function neverCalled(coverage: readonly OperationCoverage[]): readonly OperationCoverage[] {
  return coverage.filter(({ offered, requests }) => offered && requests === 0);
}
