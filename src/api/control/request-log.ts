import { type Latest, createLatest } from '#lib/ring-buffer.ts';

/** One request that the service answered; no header and no body, so that no secret is kept. */
export interface SeenRequest {
  readonly at: string;
  readonly method: string;
  /** Its beginning, where it is longer than 500 characters. */
  readonly path: string;
  readonly status: number;
}

/** The latest requests, oldest first. */
export type RequestLog = Latest<SeenRequest>;

const [keptMax, pathMax] = [10_000, 500];

/** Keeps the latest 10,000 requests. */
export function createRequestLog(): RequestLog {
  const latest = createLatest<SeenRequest>(keptMax);
  return { ...latest, add: (request) => latest.add({ ...request, path: request.path.slice(0, pathMax) }) };
}
