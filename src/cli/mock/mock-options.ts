/** What `svc mock` is started with. */
export interface MockOptions {
  readonly port: number;
  readonly host: string;
  /** The key that requests have to carry. */
  readonly apiKey: string;
  readonly seed: number;
  /** Every answer is held back for so many milliseconds, both included; null for none. */
  readonly latencyMs: readonly [min: number, max: number] | null;
  /** Share of the valid requests that get an internal error, 0 to 1. */
  readonly faultRate: number;
  readonly logLevel: string;
}

/** What a stateful mock is started with besides. */
export interface StatefulOptions extends MockOptions {
  /** How many times as fast as the time of the machine its clock runs. */
  readonly speed: number;
  /** Sandboxes that may live at the same time. */
  readonly sessionsMax: number;
  /** Where the control address is opened; null for nowhere. */
  readonly control: { readonly host: string; readonly port: number } | null;
}

/** What a stateful mock does where nobody has said. */
export const usualStateful = { speed: 1, sessionsMax: 25 } as const;

/** A mock that accepts requests. */
export interface StartedMock {
  readonly address: string;
  /** Null where it has none. */
  readonly controlAddress: string | null;
  /** Ends everything that was opened. */
  close(): Promise<void>;
}
