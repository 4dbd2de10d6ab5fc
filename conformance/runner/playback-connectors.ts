import { CdpFault, cookieWords } from '../transport/cdp/index.ts';
import type {
  CdpCallName,
  CdpClient,
  CdpLimits,
  CdpOutcome,
  ClientKind,
  Connectors,
  Departure,
  RawClient,
} from '../core/cdp.ts';
import { callNames } from '../recording/names-of.ts';
import type { Turns } from '../recording/turns.ts';

/** Source of recorded clients. */
export interface PlayedClients {
  turns: Turns;
  sentBy: string;
  /** Redacts keys in the same way as during the recording. */
  redact: (text: string) => string;
}

/** A client of any kind with the methods of the raw client. */
type PlayedClient = CdpClient & Omit<RawClient, 'kind'>;

/** Creates connectors whose clients return the recorded outcomes. */
export function playbackConnectors(played: PlayedClients): Connectors {
  const attach =
    (client: ClientKind) =>
    async (address: string, limits: CdpLimits): Promise<PlayedClient> => {
      const attached = await call(played, { client, connection: 0, signal: limits.signal }, ['connect', address]);
      return clientOf(played, attached, limits);
    };
  const raw = attach('raw');
  return {
    raw: async (address, limits) => ({ ...(await raw(address, limits)), kind: 'raw' }),
    playwright: attach('playwright'),
    puppeteer: attach('puppeteer'),
  };
}

function clientOf(
  played: PlayedClients,
  { client, connection, value }: CdpOutcome,
  { signal }: CdpLimits,
): PlayedClient {
  const on = { client, connection, signal };
  const run = async (name: CdpCallName, ...words: string[]): Promise<void> => {
    await call(played, on, [name, ...words]);
  };
  const read = async (name: CdpCallName, ...words: string[]): Promise<string | undefined> => {
    const outcome = await call(played, on, [name, ...words]);
    return typeof outcome.value === 'string' ? outcome.value : undefined;
  };
  const ways: readonly Departure[] = typeof value === 'object' ? value : [];
  return {
    kind: client,
    open: (mark) => run('open', mark),
    evaluate: (mark, expression) => read('evaluate', mark, expression),
    ping: () => run('ping'),
    setCookie: (cookie) => run('setCookie', ...cookieWords(cookie)),
    cookie: (name, domain) => read('cookie', name, domain),
    closePages: () => run('closePages'),
    countPages: async () => (await read('countPages')) ?? '',
    departures: Object.fromEntries(ways.map((way) => [way, () => run(way)])),
    // A client can be released even after the end of the run.
    release: async () => {
      await call(played, { client, connection, signal: undefined }, ['release']);
    },
  };
}

interface On {
  client: ClientKind;
  connection: number;
  signal: AbortSignal | undefined;
}

async function call(
  { turns, sentBy, redact }: PlayedClients,
  { client, connection, signal }: On,
  [name, ...given]: [CdpCallName, ...string[]],
): Promise<CdpOutcome> {
  const words = given.map((word) => redact(word));
  const happening = await turns.next(callNames({ sentBy, client }, { connection, call: name, words }), signal);
  if (happening.kind !== 'cdp') throw new Error(`the turn of ${name} gave an ${happening.kind}`);
  if (happening.outcome.fault !== undefined) throw new CdpFault(happening.outcome.fault);
  return happening.outcome;
}
