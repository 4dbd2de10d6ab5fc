import { createRedact, keyPlaceholders } from '../transport/redact.ts';
import type { JsonValue } from '../core/json.ts';
import type { RunEnvironment } from '../transport/run-environment.ts';
import type { RunOptions } from './settings.ts';
import { callNames, getWantedKeys, requestNames, Turns } from '../recording/turns.ts';
import type { Recording } from '../recording/recording.ts';
import { NotRun } from '../core/outcome.ts';
import type { RecordedEvent } from '../core/recorder.ts';
import type { Transport, TransportRequest } from '../core/transport.ts';
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

/** Returns the options of a run that replays a recording. */
export function createPlayback(recording: Recording): RunOptions {
  const turns = new Turns(recording.happenings, getWantedKeys);
  const options = Object.fromEntries(
    Object.entries(recording.options).map(([name, value]) => [name, parseLimit(value)]),
  );
  return {
    // An older recording without this option did not use the order.
    cheapFirst: false,
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a run of the suite has written the options
    ...(options as Partial<RunOptions>),
    target: completeTarget(recording),
    apiKey: keyPlaceholders.apiKey,
    ...(recording.withOtherKey ? { otherApiKey: keyPlaceholders.otherApiKey } : {}),
    headers: recording.headers,
    // The recording contains the requests that reached the stub.
    openStub: () => Promise.resolve({ close: () => Promise.resolve() }),
    transport: playbackTransport(turns),
    environment: environmentFor(recording, turns),
  };
}

/** Returns the recorded target with the defaults of members that an older recording lacks. */
function completeTarget({ target }: Recording): RunOptions['target'] {
  return {
    ...target,
    providerStub: target.providerStub ?? null,
    keyPrefix: target.keyPrefix ?? null,
    tasks: { ...target.tasks, country: target.tasks.country ?? null },
  };
}

function parseLimit(value: JsonValue): JsonValue {
  return value === 'unlimited' ? Number.POSITIVE_INFINITY : value;
}

function environmentFor({ stamp, secrets, headers, withOtherKey, keyForms }: Recording, turns: Turns): RunEnvironment {
  const { apiKey, otherApiKey } = keyPlaceholders;
  const redact = createRedact({ apiKey, otherApiKey: withOtherKey ? otherApiKey : undefined, headers });
  return {
    elapsedMs: () => turns.nowMs(),
    wait: (_ms, signal) => turns.pause(signal),
    unpaced: true,
    stamp,
    ...(keyForms === undefined ? {} : { keyForms }),
    // A check that is newer than the recording sends requests that the recording does not contain.
    secret: (name, purpose) => secrets[name] ?? `svc-check-${purpose}-not-recorded`,
    connectors: (sentBy) => playbackConnectors({ turns, sentBy, redact }),
    onEnd: (end) => turns.onEnd(({ why, reason }) => end(why, reason)),
  };
}

/**
 * Creates a transport that returns the recorded response of each request. Rejects if the recording has no response to
 * the request.
 */
function playbackTransport(turns: Turns): Transport {
  return async (request) => {
    const happening = await find(turns, request);
    if (happening.kind !== 'exchange') throw new Error(`the turn of ${request.operation} gave an ${happening.kind}`);
    const { atMs, durationMs, status, headers, body, json, fault, exceeds } = happening.exchange;
    return {
      status,
      headers,
      body,
      json,
      times: { atMs, durationMs },
      ...(fault === undefined ? {} : { fault }),
      ...(exceeds === undefined ? {} : { exceeds }),
    };
  };
}

async function find(
  turns: Turns,
  { shown, signal, outlivesRun, ...request }: TransportRequest,
): Promise<RecordedEvent> {
  try {
    return await turns.next(requestNames({ ...request, ...shown }), outlivesRun ? undefined : signal);
  } catch (error) {
    // In the recorded run, the request was not sent before the run ended.
    if (error instanceof NotRun) signal.throwIfAborted();
    throw error;
  }
}

/** Recorded outcomes that the replayed automation clients of one check or scenario return. */
interface PlayedClients {
  turns: Turns;
  sentBy: string;
  /** Redacts keys in the same way as during the recording. */
  redact: (text: string) => string;
}

/** A replayed client of any kind; it has the methods of the raw client in any case. */
type PlayedClient = CdpClient & Omit<RawClient, 'kind'>;

/** Creates connectors whose clients return the recorded outcomes. */
function playbackConnectors(played: PlayedClients): Connectors {
  const attach =
    (client: ClientKind) =>
    async (address: string, limits: CdpLimits): Promise<PlayedClient> => {
      const attached = await call(played, { client, connection: 0, signal: limits.signal }, ['connect', address]);
      return createPlayedClient(played, attached, limits);
    };
  const raw = attach('raw');
  return {
    raw: async (address, limits) => ({ ...(await raw(address, limits)), kind: 'raw' }),
    playwright: attach('playwright'),
    puppeteer: attach('puppeteer'),
  };
}

function createPlayedClient(
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
