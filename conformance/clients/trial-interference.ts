import type { JsonValue } from '../core/json.ts';
import type { ControlledService } from './controlled-service.ts';
import type { Draw, ClientVersion, DrawnTrial, Fault, FaultPlace } from './trial.ts';
import {
  undisguised,
  withDecimals,
  withDisguisedCursor,
  withEventIds,
  withNewKind,
  withNewMembers,
  withNewValues,
  withState,
} from './edits.ts';
import type { Answer, Forwarded } from './forward.ts';
import {
  type RecordedRequest,
  type Coding,
  type Delivery,
  type Interference,
  jsonAnswer,
  plainDelivery,
} from './interference.ts';
import type { ClientExchange, Planted } from './recording.ts';

/** Options of {@link createTrialInterference}. */
interface TrialParts {
  readonly version: ClientVersion;
  readonly drawn: DrawnTrial;
  /** Draws the words of faults. */
  readonly draw: Draw;
  readonly service: ControlledService;
}

/**
 * Changes that a trial makes to requests and responses, with a function that returns the values which its faults have
 * added to answers.
 */
interface TrialInterference extends Interference {
  planted(): Omit<Planted, 'ids'>;
}

/** Drawn values of the faults of one trial. */
interface Words {
  readonly word: string;
  readonly output: string;
  readonly decimal: string;
}

/** Creates the changes of a trial to requests and responses. */
export function createTrialInterference({ version, drawn, draw, service }: TrialParts): TrialInterference {
  const words = drawWords(draw);
  const { faults, states, drops, dropsAfter } = drawn;
  const refusals = new Map(
    faults.filter((fault) => fault.do === 'refuse').map((fault) => [fault, createRefusal(fault, draw)]),
  );
  const struck = createCounter(faults);
  const shown = createStates(states, words.output);
  return {
    strike: struck,
    async instead(exchange, hosts) {
      if (exchange.kind === 'poll' || exchange.kind === 'events') await service.advance();
      const { fault } = exchange;
      if (fault?.do === 'insert') await service.insert(version);
      return fault === undefined ? undefined : getReplacement(fault, exchange, { hosts, refusals });
    },
    repaired: (exchange) => withAfter(repaired(exchange, service.apiKey), exchange, -drawn.eventShift),
    // The service answers when the browser has started.
    whileAnswering: ({ kind }, answer) => (kind === 'createBrowser' ? advanceUntil(answer, service) : answer),
    edited: (exchange, json) =>
      edited(withEventIds(shown(exchange, json), exchange, drawn.eventShift), exchange.fault, words),
    delivery: (exchange) => planDelivery(exchange),
    addressMark,
    dropsAfter: (socket) => (socket < drops ? dropsAfter : undefined),
    planted: () => ({
      texts: [...refusals.values()].flatMap(({ texts }) => texts),
      decimal: faults.some((fault) => fault.do === 'decimals') ? words.decimal : undefined,
      kind: faults.some((fault) => fault.do === 'kinds') ? newKind(words) : undefined,
    }),
  };
}

const advancesMax = 20;

/**
 * Advances the clock of the service step by step until the answer arrives, at most `advancesMax` times. All steps
 * together are shorter than the shortest lifetime of a browser.
 */
async function advanceUntil(answer: Promise<Answer>, service: ControlledService): Promise<Answer> {
  const state = { isPending: true };
  const settled = answer.finally(() => {
    state.isPending = false;
  });
  for (let count = 0; state.isPending && count < advancesMax; count += 1) await service.advance();
  return settled;
}

function drawWords(draw: Draw): Words {
  const word = draw.word();
  return {
    word,
    output: `Größe 北京 ✓ ${draw.word()}`,
    decimal: `${draw.between(0, 9)}.${draw.between(1000, 9999)}000000000000000${draw.between(1000, 9999)}1`,
  };
}

function newKind({ word }: Words): string {
  return `run.${word}`;
}

/**
 * Creates a function that counts requests by kind and returns the fault of each request; undefined for a request
 * without a fault.
 */
function createCounter(faults: readonly Fault[]): (asked: RecordedRequest) => Fault | undefined {
  const seen = new Map<FaultPlace, number>();
  return (asked) => {
    const struck: FaultPlace[] = isPlace(asked.kind) ? ['any', asked.kind] : ['any'];
    for (const place of struck) seen.set(place, (seen.get(place) ?? 0) + 1);
    return faults.find(({ on, from, times = 1 }) => {
      const at = seen.get(on) ?? 0;
      return struck.includes(on) && at >= from && at < from + times;
    });
  };
}

const places = new Set<string>(['create', 'poll', 'list', 'events', 'download'] satisfies FaultPlace[]);

function isPlace(kind: string): kind is FaultPlace {
  return places.has(kind);
}

/**
 * Creates a function that edits the answers to polls: each poll shows the next state of the trial, and the last state
 * repeats. A poll by another operation, such as a final read of the whole record, shows the current state again.
 * Without states, the function returns answers unchanged.
 */
function createStates(
  states: readonly string[],
  output: string,
): (exchange: ClientExchange, json: JsonValue) => JsonValue {
  let at = -1;
  let question: string | undefined;
  return (exchange, json) => {
    if (states.length === 0 || exchange.kind !== 'poll') return json;
    question ??= exchange.operation?.id;
    // A poll by another operation, such as a final read of the record, shows the current state again.
    if (question === exchange.operation?.id) at = Math.min(at + 1, states.length - 1);
    return withState(exchange, json, { state: states[at] ?? '', output: at === states.length - 1 ? output : null });
  };
}

interface InsteadParts {
  readonly hosts: Readonly<Record<ClientExchange['host'], string>>;
  readonly refusals: ReadonlyMap<Fault, Refusal>;
}

function getReplacement(fault: Fault, { target }: ClientExchange, parts: InsteadParts): Answer | 'hang' | undefined {
  const { hosts, refusals } = parts;
  const location = `${hosts.elsewhere}${target}`;
  const nothing = { events: [], nextAfter: afterIn(target), hasMore: false };
  const answers: Readonly<Partial<Record<Fault['do'], Answer | 'hang' | undefined>>> = {
    refuse: refusals.get(fault)?.answer,
    hang: 'hang',
    redirect: { status: fault.status ?? 302, headers: { location }, body: Buffer.alloc(0) },
    nothingNew: jsonAnswer({ status: 200, headers: {} }, nothing),
  };
  return answers[fault.do];
}

/** Adds a number to the cursor of events in a request. A cursor of 0, the beginning of the list, stays. */
function withAfter(request: Forwarded, { kind, fault }: ClientExchange, shift: number): Forwarded {
  const after = afterIn(request.target);
  if (kind !== 'events' || fault?.do === 'nothingNew' || after === 0) return request;
  return { ...request, target: request.target.replace(/([?&]after=)[^&]*/, `$1${Math.max(0, after + shift)}`) };
}

function afterIn(target: string): number {
  return Number(new URL(target, 'http://service').searchParams.get('after') ?? '0');
}

function repaired({ method, target, headers, body, host, fault }: ClientExchange, key: string): Forwarded {
  const isCall = host === 'service' && /^\/+api\//.test(target);
  if (!isCall) return { method, target: target.replace(markPattern, ''), headers, body };
  const type = body.length > 0 ? { 'content-type': 'application/json' } : {};
  const { authorization: _authorization, ...rest } = headers;
  return {
    method,
    target: query(target.replaceAll(/\/{2,}/g, '/'), fault),
    headers: { ...rest, ...type, 'x-service-api-key': key },
    body,
  };
}

/**
 * Text that is appended to the query of signed URLs. Signed URLs of file stores have escapes like these, which a
 * program must not decode or encode again.
 */
const addressMark = '&X-Credential=svc%2Fus-east-1%2Bs3%3D';
const markPattern = /[?&]X-Credential=[^&]*/;

const shortPage = 2;

function query(target: string, fault: Fault | undefined): string {
  const [sent = '', text] = target.split(/\?(.*)/s);
  const path = sent.replace(/\/$/, '');
  const parameters = new URLSearchParams(text ?? '');
  if (fault?.do === 'short') parameters.set('limit', String(shortPage));
  const cursor = parameters.get('cursor');
  if (fault?.do === 'cursors' && cursor !== null) parameters.set('cursor', undisguised(cursor));
  else if (fault?.do !== 'short') return text === undefined ? path : `${path}?${text}`;
  return `${path}?${parameters.toString()}`;
}

const edits: Readonly<Partial<Record<Fault['do'], (json: JsonValue, words: Words) => JsonValue>>> = {
  members: (json, { word }) => withNewMembers(json, word),
  values: (json, { word }) => withNewValues(json, word),
  decimals: (json, { decimal }) => withDecimals(json, decimal),
  cursors: (json) => withDisguisedCursor(json),
  kinds: (json, words) => withNewKind(json, newKind(words)),
};

function edited(json: JsonValue, fault: Fault | undefined, words: Words): JsonValue {
  const edit = fault === undefined ? undefined : edits[fault.do];
  return edit === undefined ? json : edit(json, words);
}

/**
 * Returns the least common coding that a program accepts, because many programs decode only gzip although their header
 * names other codings. Returns undefined if the program accepts none of the codings.
 */
function acceptedCoding(accepted: string): Coding | undefined {
  const named = new Set(accepted.split(',').map((entry) => entry.split(';')[0]?.trim()));
  return (['br', 'deflate', 'gzip'] as const).find((coding) => named.has(coding));
}

function planDelivery({ headers, fault }: ClientExchange): Delivery {
  return {
    ...plainDelivery,
    delayMs: fault?.do === 'delay' ? (fault.ms ?? 0) : 0,
    isLost: fault?.do === 'lose',
    inPieces: fault?.do === 'pieces',
    coding: fault?.do === 'compress' ? acceptedCoding(headers['accept-encoding'] ?? '') : undefined,
  };
}

/** An injected refusal, and the texts that the program has to print. */
interface Refusal {
  readonly answer: Answer;
  readonly texts: readonly string[];
}

/** Creates the refusal that a fault injects, with random texts. */
function createRefusal({ as = 'fault', retryAfter }: Fault, draw: Draw): Refusal {
  const texts: RefusalTexts = [`no ${draw.word()} here`, `too much ${draw.word()}`];
  return as === 'rate' ? rate(retryAfter) : refusals[as](texts);
}

/** Texts of a refusal with up to two messages. */
type RefusalTexts = readonly [string, string];

const refusals: Readonly<Record<Exclude<Fault['as'], 'rate' | undefined>, (texts: RefusalTexts) => Refusal>> = {
  list: (texts) => ({ answer: refusal(422, texts.map(validationError)), texts }),
  text: ([text]) => ({ answer: refusal(400, text), texts: [text] }),
  object: ([text]) => {
    const detail = { code: 'api_key_monthly_spend_limit_reached', message: text, cap: 10, spent: 10.5 };
    return { answer: refusal(402, detail), texts: [text] };
  },
  page: () => ({ answer: page(502, 'text/html', '<html><body><h1>Bad gateway</h1></body></html>'), texts: ['502'] }),
  busy: () => ({ answer: refusal(503, 'Service unavailable'), texts: [] }),
  fault: () => ({ answer: refusal(500, 'An internal server error occurred'), texts: [] }),
  expired: () => ({ answer: page(403, 'application/xml', '<Error><Code>AccessDenied</Code></Error>'), texts: [] }),
};

function validationError(msg: string, at: number): JsonValue {
  return { loc: ['body', at === 0 ? 'task' : 'model'], msg, type: 'value_error' };
}

function refusal(status: number, detail: JsonValue): Answer {
  return jsonAnswer({ status, headers: {} }, { detail });
}

function page(status: number, type: string, text: string): Answer {
  return { status, headers: { 'content-type': type }, body: Buffer.from(text) };
}

function rate(retryAfter: number | undefined): Refusal {
  const wait = retryAfter === undefined ? {} : { retry_after_seconds: retryAfter };
  const headers = retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) };
  return { answer: jsonAnswer({ status: 429, headers }, { error: 'rate_limited', limit_rps: 25, ...wait }), texts: [] };
}
