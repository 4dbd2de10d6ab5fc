import type {
  CdpClient,
  CdpLimits,
  Connect,
  Departure,
  CdpCallName,
  CdpOutcome,
  Connectors,
  Cookie,
} from '../../core/cdp.ts';
import { CdpFault } from './cdp-fault.ts';

/** Receives the outcomes of a scenario's or check's calls to automation clients. */
export interface CdpLog {
  sentBy: string;
  elapsedMs: () => number;
  /** Replaces secrets in the recorded texts. */
  redact(text: string): string;
  add(outcome: CdpOutcome): void;
}

/**
 * Wraps connectors so that they log the outcome of every client call: its value, or its CdpFault. Does not log a call
 * that rejects with another error, such as the reason of an aborted run.
 */
export function recordConnectors(connectors: Connectors, log: CdpLog): Connectors {
  const counter = { next: 0 };
  return {
    raw: recorded(connectors.raw, { client: 'raw', log, counter }, (inner, told) => ({
      ...told.client(inner),
      ping: () => told.call('ping', [], () => inner.ping()),
      setCookie: (cookie) => told.call('setCookie', cookieWords(cookie), () => inner.setCookie(cookie)),
      cookie: (name, domain) => told.call('cookie', [name, domain], () => inner.cookie(name, domain)),
      closePages: () => told.call('closePages', [], () => inner.closePages()),
      countPages: () => told.call('countPages', [], () => inner.countPages()),
    })),
    playwright: recorded(connectors.playwright, { client: 'playwright', log, counter }, (inner, told) =>
      told.client(inner),
    ),
    puppeteer: recorded(connectors.puppeteer, { client: 'puppeteer', log, counter }, (inner, told) =>
      told.client(inner),
    ),
  };
}

interface Place {
  client: CdpClient['kind'];
  log: CdpLog;
  counter: { next: number };
}

/** Wraps the calls of one connection. */
interface Told {
  call<T extends string | undefined | void>(
    call: CdpCallName,
    words: readonly string[],
    run: () => Promise<T>,
  ): Promise<T>;
  client<C extends CdpClient>(inner: C): C;
}

function recorded<C extends CdpClient>(
  connect: Connect<C>,
  { client, log, counter }: Place,
  wrap: (inner: C, told: Told) => C,
): Connect<C> {
  return async (address: string, limits: CdpLimits): Promise<C> => {
    const connection = counter.next;
    counter.next += 1;
    const tell = teller(log, { client, connection });
    const inner = await tell({ call: 'connect', words: [address] }, () => connect(address, limits), listDepartures);
    const call: Told['call'] = (name, words, run) => tell({ call: name, words }, run, textOrNothing);
    return wrap(inner, { call, client: (attached) => toldClient(attached, call) });
  };
}

type Tell = <T>(
  asked: Pick<CdpOutcome, 'call' | 'words'>,
  run: () => Promise<T>,
  value: (result: T) => CdpOutcome['value'],
) => Promise<T>;

function teller(log: CdpLog, of: Pick<CdpOutcome, 'client' | 'connection'>): Tell {
  return async ({ call, words }, run, value) => {
    const begin = log.elapsedMs();
    const told = (what: Pick<CdpOutcome, 'value' | 'fault'>): void => {
      const times = { atMs: log.elapsedMs(), durationMs: log.elapsedMs() - begin };
      log.add({ sentBy: log.sentBy, ...of, call, words: words.map((word) => log.redact(word)), ...times, ...what });
    };
    try {
      const result = await run();
      const shown = value(result);
      told(shown === undefined ? {} : { value: typeof shown === 'string' ? log.redact(shown) : shown });
      return result;
    } catch (error) {
      if (error instanceof CdpFault) told({ fault: log.redact(error.message) });
      throw error;
    }
  };
}

function toldClient<C extends CdpClient>(inner: C, call: Told['call']): C {
  const departures: Partial<Record<Departure, () => Promise<void>>> = {};
  for (const name of listDepartures(inner)) {
    const leave = inner.departures[name];
    if (leave !== undefined) departures[name] = () => call(name, [], leave);
  }
  return {
    ...inner,
    open: (mark: string) => call('open', [mark], () => inner.open(mark)),
    evaluate: (mark: string, expression: string) =>
      call('evaluate', [mark, expression], () => inner.evaluate(mark, expression)),
    departures,
    release: () => call('release', [], () => inner.release()),
  };
}

const departureNames = ['leave', 'close', 'drop'] as const satisfies readonly Departure[];

function listDepartures({ departures }: CdpClient): Departure[] {
  return departureNames.filter((name) => departures[name] !== undefined);
}

function textOrNothing(result: string | undefined | void): string | undefined {
  return typeof result === 'string' ? result : undefined;
}

/** Returns a cookie as the arguments of a recorded call. */
export function cookieWords({ name, value, domain, lasts }: Cookie): string[] {
  return [name, value, domain, lasts ? 'lasts' : 'ends'];
}
