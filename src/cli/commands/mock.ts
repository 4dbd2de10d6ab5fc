import { Command, InvalidArgumentError } from 'commander';
import { exitCodes } from '../exit-codes.ts';
import { readPort } from '../read-port.ts';
import { startOrExit } from '../start-or-exit.ts';
import { untilSignal } from '../until-signal.ts';

interface Flags {
  readonly port: number;
  readonly host: string;
  readonly apiKey: string;
  readonly dynamic: boolean;
  readonly latency?: readonly [number, number];
  readonly faultRate: number;
  readonly seed: number;
  readonly verbose: boolean;
}

/** `svc mock`: the whole interface on one port, answered from the documents. Nothing is kept between requests. */
export function mockCommand(): Command {
  return new Command('mock')
    .description('Answer V2, V3 and V4 on one port from the documents: no cost, no browser, no state.')
    .option('--port <number>', 'port to listen on; 0 takes a free one', readPort, 4010)
    .option('--host <address>', 'address to listen on', '127.0.0.1')
    .option('--api-key <key>', 'the key that requests have to carry', 'svc_mock')
    .option('--dynamic', 'invent answers from the schemas instead of showing the examples', false)
    .option('--latency <min-max>', 'hold every answer back for so many milliseconds, for example 50-300', range)
    .option(
      '--fault-rate <share>',
      'share of the valid requests that are answered with an internal error, 0 to 1',
      share,
      0,
    )
    .option('--seed <number>', 'makes dynamic answers, delays and faults repeat', whole, 1)
    .option('--verbose', 'write one line per request to standard error', false)
    .action(mock);
}

async function mock({ latency, verbose, host, port: wantedPort, ...options }: Flags): Promise<void> {
  const [{ createMock }, { createLog }] = await Promise.all([
    import('#mock/create-mock.ts'),
    import('../create-log.ts'),
  ]);
  const server = await createMock({
    ...options,
    ...(latency === undefined ? {} : { latencyMs: latency }),
    log: createLog(verbose ? 'info' : 'error'),
  });
  const stopped = untilSignal();
  const address = await startOrExit('mock', () => server.listen(wantedPort, host));
  console.log(`API key: ${options.apiKey} (header X-Service-API-Key)`);
  console.log(`listening on ${address}`);
  await stopped;
  await server.close();
  process.exitCode = exitCodes.ok;
}

function whole(text: string): number {
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('Expected a whole number of at least 0.');
}

function share(text: string): number {
  const value = Number(text);
  if (text.trim() !== '' && value >= 0 && value <= 1) return value;
  throw new InvalidArgumentError('Expected a number from 0 to 1.');
}

function range(text: string): readonly [number, number] {
  const match = /^(\d{1,6})-(\d{1,6})$/.exec(text);
  const [min, max] = [Number(match?.[1]), Number(match?.[2])];
  if (min <= max) return [min, max];
  throw new InvalidArgumentError('Expected MIN-MAX in milliseconds, for example 50-300.');
}
