import { statefulDefaults } from '../cli/mock/mock-flags.ts';

/** Options of {@link startMock}; every member has a default. */
export interface MockSettings {
  /** The only API key that the mock accepts. @defaultValue svc_mock */
  readonly apiKey?: string;
  /** Port on 127.0.0.1; 0 selects a free port. @defaultValue 0 */
  readonly port?: number;
  /**
   * Whether the mock stores the resources that clients create. Sessions then change state, and browsers are
   * simulated. @defaultValue false
   */
  readonly stateful?: boolean;
  /** Speed of a stateful mock's clock relative to real time. @defaultValue 1 */
  readonly speed?: number;
  /**
   * Maximum number of active sandboxes of a stateful mock; a request for a further sandbox is rejected with 429.
   * @defaultValue 25
   */
  readonly sessionsMax?: number;
  /**
   * Whether a stateless mock generates responses from the schemas instead of returning the examples. @defaultValue
   * false
   */
  readonly dynamic?: boolean;
  /** Seed of ids, simulated work and generated responses. @defaultValue 1 */
  readonly seed?: number;
}

/** A mock that runs in this process. */
export interface StartedMock {
  /** Base URL of the mock, for example `http://127.0.0.1:4010`. */
  readonly address: string;
  readonly apiKey: string;
  /** Closes all connections; resolves when the mock has stopped. */
  close(): Promise<void>;
}

/**
 * Starts a mock as `svc mock` does, for the tests of a client program.
 * @example
 * const mock = await startMock({ stateful: true, speed: 10 });
 * const { v4 } = createClient({ baseUrl: mock.address, apiKey: mock.apiKey });
 * await mock.close();
 */
export async function startMock(settings: MockSettings = {}): Promise<StartedMock> {
  const { apiKey = 'svc_mock', port = 0, seed = 1, stateful = false, dynamic = false } = settings;
  const { speed = statefulDefaults.speed, sessionsMax = statefulDefaults.sessionsMax } = settings;
  const same = { host: '127.0.0.1', port, apiKey, seed, latencyMs: null, faultRate: 0, logLevel: 'silent' };
  const mock = stateful
    ? await (await import('../cli/mock/open-stateful.ts')).startStateful({
        ...same,
        speed,
        sessionsMax,
        control: null,
      })
    : await (await import('../cli/mock/start-stateless.ts')).startStateless({ ...same, dynamic });
  return { address: mock.address, apiKey, close: () => mock.close() };
}
