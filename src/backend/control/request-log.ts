/** One request that the service answered; no header and no body, so that no secret is kept. */
export interface SeenRequest {
  readonly at: string;
  readonly method: string;
  readonly path: string;
  readonly status: number;
}

/** The latest requests, oldest first. */
export interface RequestLog {
  add(request: SeenRequest): void;
  all(): readonly SeenRequest[];
  clear(): void;
}

const keptMax = 10_000;

/** Keeps the latest 10,000 requests. */
export function createRequestLog(): RequestLog {
  let kept: SeenRequest[] = [];
  return {
    add(request) {
      kept.push(request);
      if (kept.length > keptMax) kept = kept.slice(-keptMax);
    },
    all: () => kept,
    clear() {
      kept = [];
    },
  };
}
