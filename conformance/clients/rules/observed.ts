/**
 * Judges the rules by the traffic of a client that does its own work, without a trial (`--observe`). The recording ends
 * when the client ends. A rule gets a verdict only if the traffic shows compliance or a violation: a client that had no
 * reason for an action violates no rule.
 */
import type { clientScenarios } from '#generated/rules.ts';
import { isJsonObject, toText } from '../../core/json.ts';
import type { ClientExchange, TrialRun } from '../recording.ts';
import { isTerminal, shownState } from '../states.ts';
import {
  type JudgeTrial,
  type Judged,
  answeredObject,
  broken,
  brokenByFirst,
  calls,
  kept,
  ofKind,
  open,
  sentJson,
} from './judged.ts';
import { keyInHeader, keyNowhereElse, keyToNoOtherHost } from './keys.ts';
import { keepsPollInterval } from './polling.ts';
import {
  renewsObservedAddresses,
  returnsObservedCursors,
  readsObservedEvents,
  uploadsWithPut,
  waitsForObservedEvents,
} from './observed-reading.ts';
import { uploadsAsAnnounced, usesAddressesAsGiven } from './reading.ts';
import { callsDocumented, declaresJson, joinsAddress } from './requests.ts';

/** Ids of the rules that recorded traffic alone can judge. */
type ObservedRuleId = (typeof clientScenarios.observed)[number];

/** Judges CLIENT-REQUEST-05 in recorded traffic: text outside of ASCII must be sent as UTF-8. */
const sendsUtf8: JudgeTrial = (run) => {
  const withText = calls(run).filter(({ body }) => body.some((byte) => byte > 127) || body.includes(String.raw`\u`));
  if (withText.length === 0) return open('the client sent no text outside of ASCII');
  return brokenByFirst(withText, (exchange) =>
    isUtf8(exchange.body) && sentJson(exchange) !== undefined ? undefined : 'found a body that is no JSON in UTF-8',
  );
};

function isUtf8(bytes: Buffer): boolean {
  return Buffer.from(bytes.toString()).equals(bytes);
}

/**
 * Judges CLIENT-REQUEST-09 in recorded traffic: the `browserSettings` of a V4 run must contain `proxyCountryCode`,
 * which may be null.
 */
const namesCountry: JudgeTrial = (run) => {
  const settings = ofKind(run, 'create').flatMap((exchange) => {
    const sent = sentJson(exchange);
    const given = isJsonObject(sent) ? sent['browserSettings'] : undefined;
    return exchange.operation?.version === 'v4' && isJsonObject(given) ? [{ exchange, given }] : [];
  });
  if (settings.length === 0) return open('the client sent no browserSettings');
  const without = settings.find(({ given }) => !Object.hasOwn(given, 'proxyCountryCode'));
  return without === undefined ? kept : broken('found browserSettings without proxyCountryCode', without.exchange);
};

/**
 * Groups requests with the same method, host and target, including requests that a rate limit refused. Bodies may
 * differ. Returns the groups with more than one request, each in the order of sending.
 */
function repeated({ exchanges }: TrialRun): ClientExchange[][] {
  const groups = Map.groupBy(exchanges, ({ method, host, target }) => `${method} ${host} ${target}`);
  return [...groups.values()].filter(({ length }) => length > 1);
}

const toleranceMs = 50;
const growthMin = 1.2;

/**
 * Judges CLIENT-POLL-02 in recorded traffic: the client must wait as long as the `Retry-After` of a 429 demands before
 * it repeats the request.
 */
const waitsAsAsked: JudgeTrial = (run) => {
  const pairs = repeated(run).flatMap((same) =>
    same.slice(1).flatMap((next, at) => {
      const before = same[at];
      const wantedMs = Number(before?.answerHeaders['retry-after']) * 1000;
      return before?.status === 429 && Number.isFinite(wantedMs) ? [{ before, next, wantedMs }] : [];
    }),
  );
  if (pairs.length === 0) return open('the client repeated no request after a 429 with Retry-After');
  const early = pairs.find(({ before, next, wantedMs }) => pauseMs(before, next) < wantedMs - toleranceMs);
  if (early === undefined) return kept;
  const waitedMs = Math.round(pauseMs(early.before, early.next));
  return broken(`found the next request after ${waitedMs} ms, expected at least ${early.wantedMs}`, early.next);
};

function pauseMs(before: ClientExchange, next: ClientExchange): number {
  return next.atMs - (before.endedMs ?? before.atMs);
}

/**
 * Judges CLIENT-POLL-03 in recorded traffic: the wait after a second consecutive 429 without `Retry-After` must be
 * longer than after the first.
 */
const waitsLonger: JudgeTrial = (run) => {
  const isBare = (exchange: ClientExchange | undefined): boolean =>
    exchange?.status === 429 && !('retry-after' in exchange.answerHeaders);
  const threes = repeated(run).flatMap((same) =>
    same.slice(2).flatMap((third, at) => {
      const [first, second] = [same[at], same[at + 1]];
      return first !== undefined && second !== undefined && isBare(first) && isBare(second)
        ? [{ first, second, third }]
        : [];
    }),
  );
  if (threes.length === 0) return open('the client repeated no request after two 429 in a row without Retry-After');
  const short = threes.find(
    ({ first, second, third }) => pauseMs(second, third) < pauseMs(first, second) * growthMin - toleranceMs,
  );
  return short === undefined ? kept : broken('found a wait that has not grown after a second 429', short.third);
};

/**
 * Returns the successful polls, in one list for each task, session or run. The polls of a session after a follow-up are
 * in a new list.
 */
function questions(run: TrialRun): ClientExchange[][] {
  const lists = new Map<string, ClientExchange[][]>();
  for (const exchange of run.exchanges) {
    const sent = exchange.kind === 'create' ? sentJson(exchange) : undefined;
    if (isJsonObject(sent)) lists.get(toText(sent['sessionId']))?.push([]);
    if (exchange.kind !== 'poll' || exchange.status !== 200) continue;
    const id = exchange.operation?.target ?? '';
    const known = lists.get(id) ?? [[]];
    lists.set(id, known);
    known.at(-1)?.push(exchange);
  }
  return [...lists.values()].flat().filter(({ length }) => length > 0);
}

/** Number of polls after a terminal state that are allowed, because a client may show the record again. */
const readsAfterEndMax = 3;

/** Judges CLIENT-POLL-04 in recorded traffic: the client must stop polling at a terminal state. */
const stopsPolling: JudgeTrial = (run) => {
  const ended = questions(run).flatMap((list) => {
    const end = list.findIndex((poll) => isTerminal(poll));
    return end === -1 ? [] : [{ last: list[end], further: list.slice(end + 1) }];
  });
  if (ended.length === 0) return open('the client saw no terminal state');
  const polling = ended.find(({ further }) => further.length > readsAfterEndMax);
  if (polling === undefined) return kept;
  const state = polling.last === undefined ? '' : shownState(polling.last);
  return broken(`found ${polling.further.length} questions after ${state}, which is an end`, polling.further.at(-1));
};

/** Judges CLIENT-POLL-05 in recorded traffic: the client must poll until it has seen an end, or end the work itself. */
const asksUntilEnd: JudgeTrial = (run) => {
  const lists = questions(run);
  if (lists.length === 0) return open('the client never asked for a state');
  const left = lists.find((list) => !list.some((poll) => isTerminal(poll)) && !isEndedByClient(run, list[0]));
  const last = left?.at(-1);
  if (last === undefined) return kept;
  return broken(`found no question after the state ${shownState(last)}, which is no end`, last);
};

function isEndedByClient(run: TrialRun, poll: ClientExchange | undefined): boolean {
  const id = poll?.operation?.target;
  return run.exchanges.some(
    ({ operation, method, kind }) => operation?.target === id && (kind === 'stop' || method === 'DELETE'),
  );
}

const refusals = new Set([400, 401, 402, 403, 404, 422]);
/**
 * A repetition of a request counts only within this time in ms, because a later repetition may be the decision of a
 * person.
 */
const repeatedWithinMs = 60_000;

/** Judges CLIENT-ERROR-05 in recorded traffic: a refused write must not be sent again unchanged within a minute. */
const takesRefusal: JudgeTrial = (run) => {
  const refused = calls(run).filter(({ method, status }) => method !== 'GET' && refusals.has(status));
  if (refused.length === 0) return open('the client was refused nothing');
  const again = refused.map((one) => sameAfter(run, one, repeatedWithinMs)).find((one) => one !== undefined);
  return again === undefined ? kept : broken('found the refused request again, expected a fault', again);
};

function sameAfter(run: TrialRun, one: ClientExchange, withinMs: number): ClientExchange | undefined {
  return run.exchanges.find(
    ({ index, atMs, method, target, body }) =>
      index > one.index &&
      atMs < one.atMs + withinMs &&
      method === one.method &&
      target === one.target &&
      body.equals(one.body),
  );
}

/**
 * Judges CLIENT-WRITE-01 to -03 in recorded traffic: the client must not repeat a creation of unknown outcome within a
 * minute, unless it has sent a GET request in between.
 */
function createsOnceDespite(what: string, isUnsure: (exchange: ClientExchange) => boolean): JudgeTrial {
  return (run) => {
    const unsure = ofKind(run, 'create', 'createBrowser').filter(isUnsure);
    if (unsure.length === 0) return open(`no creation had ${what}`);
    const blind = unsure.flatMap((one) => {
      const again = sameAfter(run, one, repeatedWithinMs);
      return again === undefined || hasLooked(run, one, again) ? [] : [again];
    });
    if (blind.length === 0) return kept;
    return broken(`found the same creation again after ${what}, without a look at what exists`, blind[0]);
  };
}

function hasLooked({ exchanges }: TrialRun, from: ClientExchange, to: ClientExchange): boolean {
  return exchanges.some(({ method, index }) => method === 'GET' && index > from.index && index < to.index);
}

/** A browser that the client created, with its connections that the proxy has seen. */
interface ObservedBrowser {
  readonly created: ClientExchange;
  readonly stop: ClientExchange | undefined;
  readonly sockets: TrialRun['sockets'];
}

function browsers(run: TrialRun): ObservedBrowser[] {
  return ofKind(run, 'createBrowser').flatMap((created) => {
    const { id, cdpUrl } = answeredObject(created) ?? {};
    if (created.status >= 300 || typeof id !== 'string') return [];
    const sockets = run.sockets.filter(({ target }) => toText(cdpUrl).endsWith(target) || target.includes(id));
    const stop = ofKind(run, 'stopBrowser').find(({ operation }) => operation?.target === id);
    return [{ created, stop, sockets }];
  });
}

/** Returns the connections that the service closed although the client had not stopped the browser. */
function lostSockets({ sockets, stop }: ObservedBrowser): TrialRun['sockets'] {
  return sockets.filter(
    ({ closedBy, closedMs }) => closedBy === 'service' && (stop === undefined || (closedMs ?? 0) < stop.atMs),
  );
}

/**
 * Judges CLIENT-BROWSER-01 in recorded traffic: after the client has lost its only connection to a browser, it must not
 * create a second browser before it stops the first one.
 */
const returnsToBrowser: JudgeTrial = (run) => {
  const lost = browsers(run).filter((one) => lostSockets(one).length > 0);
  if (lost.length === 0) return open('no connection to a browser was lost');
  for (const { stop, sockets } of lost) {
    const [{ closedMs = 0 } = {}] = sockets;
    const second = ofKind(run, 'createBrowser').find(
      ({ atMs }) => atMs > closedMs && atMs < (stop?.atMs ?? Number.POSITIVE_INFINITY),
    );
    if (sockets.length === 1 && second !== undefined)
      return broken('found a second browser after a dropped connection, expected the first one', second);
  }
  return kept;
};

/** Judges CLIENT-BROWSER-02 in recorded traffic: the client must stop every browser. */
const stopsEveryBrowser: JudgeTrial = (run) => {
  const all = browsers(run);
  return all.length === 0 ? open('the client created no browser') : stopped(all);
};

/** Judges CLIENT-BROWSER-03 in recorded traffic: the client must also stop a browser whose connection was lost. */
const stopsEveryLostBrowser: JudgeTrial = (run) => {
  const lost = browsers(run).filter((one) => lostSockets(one).length > 0);
  return lost.length === 0 ? open('no connection to a browser was lost') : stopped(lost);
};

function stopped(all: readonly ObservedBrowser[]): Judged {
  const left = all.find(({ stop }) => stop === undefined);
  return left === undefined ? kept : broken('found a browser that was not stopped', left.created);
}

/** The function that judges each rule in recorded traffic. A rule of `observed` without an entry does not compile. */
export const observedJudges: Readonly<Record<ObservedRuleId, JudgeTrial>> = {
  'CLIENT-KEY-01': keyInHeader,
  'CLIENT-KEY-02': keyNowhereElse,
  'CLIENT-KEY-03': keyToNoOtherHost,
  'CLIENT-REQUEST-02': declaresJson,
  'CLIENT-REQUEST-03': joinsAddress,
  'CLIENT-REQUEST-04': callsDocumented,
  'CLIENT-REQUEST-05': sendsUtf8,
  'CLIENT-REQUEST-09': namesCountry,
  'CLIENT-POLL-01': keepsPollInterval,
  'CLIENT-POLL-02': waitsAsAsked,
  'CLIENT-POLL-03': waitsLonger,
  'CLIENT-POLL-04': stopsPolling,
  'CLIENT-POLL-05': asksUntilEnd,
  'CLIENT-ERROR-05': takesRefusal,
  'CLIENT-WRITE-01': createsOnceDespite('no answer', ({ failure }) => failure !== undefined),
  'CLIENT-WRITE-02': createsOnceDespite('a fault of the server', ({ status }) => status >= 500),
  'CLIENT-WRITE-03': createsOnceDespite('no answer in time', ({ abandonedMs }) => abandonedMs !== undefined),
  'CLIENT-BROWSER-01': returnsToBrowser,
  'CLIENT-BROWSER-02': stopsEveryBrowser,
  'CLIENT-BROWSER-03': stopsEveryLostBrowser,
  'CLIENT-LIST-03': returnsObservedCursors,
  'CLIENT-EVENT-01': readsObservedEvents,
  'CLIENT-EVENT-02': waitsForObservedEvents,
  'CLIENT-FILE-01': uploadsWithPut,
  'CLIENT-FILE-02': uploadsAsAnnounced,
  'CLIENT-FILE-04': usesAddressesAsGiven,
  'CLIENT-FILE-05': renewsObservedAddresses,
};
