/** How a mock behaves; every member has a default. */
export interface MockSettings {
  /** The one key that is taken. @defaultValue svc_mock */
  readonly apiKey?: string;
  /** Port of 127.0.0.1 to listen on; 0 takes a free one. @defaultValue 0 */
  readonly port?: number;
  /** Invents answers from the schemas instead of showing the examples. @defaultValue false */
  readonly dynamic?: boolean;
  /** Makes invented answers repeat. @defaultValue 1 */
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
 * const mock = await startMock();
 * const { v4 } = createClient({ baseUrl: mock.address, apiKey: mock.apiKey });
 * await mock.close();
 */
export async function startMock({ apiKey = 'svc_mock', port = 0, ...rest }: MockSettings = {}): Promise<StartedMock> {
  const [{ createMock }, { pino }] = await Promise.all([import('#mock/create-mock.ts'), import('pino')]);
  const server = await createMock({ ...rest, apiKey, log: pino({ level: 'silent' }) });
  const address = await server.listen(port, '127.0.0.1');
  return { address, apiKey, close: () => server.close() };
}
