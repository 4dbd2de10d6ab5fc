import { usualStateful } from '../cli/mock/mock-flags.ts';

/** How a mock behaves; every member has a default. */
export interface MockSettings {
  /** The one key that is taken. @defaultValue svc_mock */
  readonly apiKey?: string;
  /** Port of 127.0.0.1 to listen on; 0 takes a free one. @defaultValue 0 */
  readonly port?: number;
  /** Keeps what is made: sessions move through their states, with simulated browsers. @defaultValue false */
  readonly stateful?: boolean;
  /** How many times as fast as the time of the machine the clock of a stateful one runs. @defaultValue 1 */
  readonly speed?: number;
  /** Sandboxes of a stateful one that may live at the same time; one more is refused with 429. @defaultValue 25 */
  readonly sessionsMax?: number;
  /** Invents answers from the schemas instead of showing the examples, where it is not stateful. @defaultValue false */
  readonly dynamic?: boolean;
  /** Makes ids, work and invented answers repeat. @defaultValue 1 */
  readonly seed?: number;
}

/** A mock that answers in this process. */
export interface StartedMock {
  /** For example `http://127.0.0.1:4010`. */
  readonly address: string;
  readonly apiKey: string;
  /** Ends every connection; resolves when nothing is left. */
  close(): Promise<void>;
}

/**
 * Starts what `svc mock` starts, for the tests of a program that uses the service.
 *
 * @example
 * const mock = await startMock({ stateful: true, speed: 10 });
 * const { v4 } = createClient({ baseUrl: mock.address, apiKey: mock.apiKey });
 * await mock.close();
 */
export async function startMock(settings: MockSettings = {}): Promise<StartedMock> {
  const { apiKey = 'svc_mock', port = 0, seed = 1, stateful = false, dynamic = false } = settings;
  const { speed = usualStateful.speed, sessionsMax = usualStateful.sessionsMax } = settings;
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
