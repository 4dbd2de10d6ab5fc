/** How a client reaches the service, and as whom. */
export interface ClientOptions {
  /** Address of the service without `/api/v4`, for example `https://api.example.com`. */
  readonly baseUrl: string;
  /** @defaultValue the environment variable SERVICE_API_KEY, where there is an environment (contract 5 Authentication 5) */
  readonly apiKey?: string;
  /** How often a request that was answered with 429 is sent again: nothing was done by it. 0 is never. @defaultValue 3 */
  readonly retries?: number;
  /** Longest wait for one answer, in milliseconds. @defaultValue 30000 */
  readonly timeoutMs?: number;
  /** What sends requests. @defaultValue the global fetch */
  readonly fetch?: (request: Request) => Promise<Response>;
  /** Passes the time between two questions, in milliseconds; rejects when the signal aborts. @defaultValue a timer */
  readonly pause?: Pause;
}

/** Passes time; rejects with the signal's reason when that aborts. */
export type Pause = (ms: number, signal?: AbortSignal) => Promise<void>;
