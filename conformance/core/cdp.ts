/** The automation clients of the suite. */
export const clientKinds = ['raw', 'playwright', 'puppeteer'] as const;

/** One kind of automation client. */
export type ClientKind = (typeof clientKinds)[number];

/**
 * How a client disconnects. `leave`: closes its own connection and leaves the browser open; `close`: closes the browser
 * object; `drop`: ends the TCP connection without a close frame.
 */
export type Departure = 'leave' | 'close' | 'drop';

/**
 * One client that is attached to a browser. Every call throws CdpFault if the browser or the connection does not
 * answer.
 */
export interface CdpClient {
  kind: ClientKind;
  /** Opens an empty page whose URL ends in `#<mark>`. */
  open(mark: string): Promise<void>;
  /**
   * Evaluates an expression in the page whose URL contains `mark`, and returns its result, which must be a text.
   * Returns undefined if there is no such page.
   */
  evaluate(mark: string, expression: string): Promise<string | undefined>;
  /**
   * The ways to disconnect that this kind of client supports. A client may call one of these functions, once, and then
   * only `release`.
   */
  departures: Partial<Record<Departure, () => Promise<void>>>;
  /** Closes the connections of the client without closing the browser object. May be called at any time, also twice. */
  release(): Promise<void>;
}

/** A cookie of the browser's default context, for every path of one host. */
export interface Cookie {
  name: string;
  value: string;
  domain: string;
  /** True for a cookie that outlives the session of the browser. */
  lasts: boolean;
}

/** A client that uses only CDP. */
export interface RawClient extends CdpClient {
  /** Requests the version of the browser, which every working browser returns. */
  ping(): Promise<void>;
  /** Sets a cookie or replaces its value. */
  setCookie(cookie: Cookie): Promise<void>;
  /** Returns the value of a cookie; undefined if the browser has no cookie of that name for the host. */
  cookie(name: string, domain: string): Promise<string | undefined>;
  /** Closes every page. */
  closePages(): Promise<void>;
  /** Returns the number of pages as decimal digits, because recordings store text. */
  countPages(): Promise<string>;
}

/** Timeout and abort signal for the calls of an automation client. */
export interface CdpLimits {
  /** Timeout of one call, in milliseconds; at least 1. */
  timeoutMs: number;
  /** Aborts every pending call; its reason is thrown unchanged. */
  signal: AbortSignal;
}

/** Attaches a client to a websocket URL. Throws CdpFault if no browser answers. */
export type Connect<C extends CdpClient = CdpClient> = (address: string, limits: CdpLimits) => Promise<C>;

/** Names of the recorded calls of a client. */
export type CdpCallName =
  | 'connect'
  | 'open'
  | 'evaluate'
  | 'ping'
  | 'closePages'
  | 'countPages'
  | 'setCookie'
  | 'cookie'
  | 'release'
  | Departure;

/** One call of an automation client and its outcome. */
export interface CdpOutcome {
  /** Name of the scenario or check that made the call. */
  sentBy: string;
  client: ClientKind;
  /**
   * Number of the connection, from 0, counted over all connections that `sentBy` has opened, in the order of opening.
   */
  connection: number;
  call: CdpCallName;
  /** Arguments of the call: a URL, a mark, an expression. */
  words: readonly string[];
  /** Time at which the call ended, in ms since the run began, and duration of the call in ms. */
  atMs: number;
  durationMs: number;
  /** Value that the call returned, if any. For a `connect` call: the ways to disconnect that the client supports. */
  value?: string | readonly Departure[];
  /** Reason of the failure. */
  fault?: string;
}

/** Automation clients on one target. */
export interface Cdp {
  /**
   * Attaches a client to a `cdpUrl` of the target, passes it to `use`, and always releases it afterwards. Throws
   * CdpFault if the client cannot attach, and rethrows the errors of `use`.
   */
  use<K extends ClientKind, T>(kind: K, cdpUrl: string, use: (client: ClientOf<K>) => Promise<T>): Promise<T>;
}

/** The client type of a kind of connector. */
export type ClientOf<K extends ClientKind> = Connectors[K] extends Connect<infer C> ? C : CdpClient;

/** The connector of each kind of client; tests of the suite may replace them. */
export interface Connectors extends Record<ClientKind, Connect> {
  raw: Connect<RawClient>;
}
