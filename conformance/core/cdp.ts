/** The automation clients that the suite brings. */
export const clientKinds = ['raw', 'playwright', 'puppeteer'] as const;

/** One kind of automation client. */
export type ClientKind = (typeof clientKinds)[number];

/**
 * How a client goes away. `leave`: it ends its own connection in order; `close`: it closes the browser object;
 * `drop`: its TCP connection ends without a word.
 */
export type Departure = 'leave' | 'close' | 'drop';

/** One client that is attached to a browser. Every call throws CdpFault when the browser or the connection does not answer. */
export interface CdpClient {
  kind: ClientKind;
  /** Opens an empty page whose address ends in `#<mark>`. */
  open(mark: string): Promise<void>;
  /** Evaluates an expression whose value is text in the page whose address contains `mark`; undefined without such a page. */
  evaluate(mark: string, expression: string): Promise<string | undefined>;
  /** The ways to go away that this kind of client has. Each may be called once, as the last call but `release`. */
  departures: Partial<Record<Departure, () => Promise<void>>>;
  /** Ends what is still open without closing the browser object; may be called at any time, also twice. */
  release(): Promise<void>;
}

/** A cookie of the browser's own context, for any path of one host. */
export interface Cookie {
  name: string;
  value: string;
  domain: string;
  /** Whether it outlives the session of the browser. */
  lasts: boolean;
}

/** A client that speaks nothing but CDP. */
export interface RawClient extends CdpClient {
  /** Asks the browser for its version, which any working browser answers. */
  ping(): Promise<void>;
  /** Sets a cookie, or gives it another value. */
  setCookie(cookie: Cookie): Promise<void>;
  /** The value of a cookie; undefined where the browser has none of that name for that host. */
  cookie(name: string, domain: string): Promise<string | undefined>;
  /** Closes every page. */
  closePages(): Promise<void>;
  /** How many pages there are, in digits: recordings keep text. */
  countPages(): Promise<string>;
}

/** What bounds the calls of a client. */
export interface CdpLimits {
  /** Longest wait for one answer, in milliseconds; at least 1. */
  timeoutMs: number;
  /** Ends every wait; its reason is thrown as it is. */
  signal: AbortSignal;
}

/** Attaches a client to a websocket URL. Throws CdpFault if no browser answers. */
export type Connect<C extends CdpClient = CdpClient> = (address: string, limits: CdpLimits) => Promise<C>;

/** What a client can be asked for. */
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

/** One call of an automation client and what came of it. */
export interface CdpOutcome {
  /** Which scenario or check made it. */
  sentBy: string;
  client: ClientKind;
  /** Number of the connection within `sentBy`, from 0 in the order of the calls. */
  connection: number;
  call: CdpCallName;
  /** What it was called with: an address, a mark, an expression. */
  words: readonly string[];
  /** When its outcome was known, in ms since the run began, and how long it took. */
  atMs: number;
  durationMs: number;
  /** The value, where there is one; for `connect` the ways to go away. */
  value?: string | readonly Departure[];
  /** Why it failed. */
  fault?: string;
}

/** Automation clients on one target. */
export interface Cdp {
  /**
   * Attaches a client to a `cdpUrl` as the target has handed it out, lends it, and releases it afterwards, whatever happens.
   * Throws CdpFault when it cannot attach, and whatever `use` throws.
   */
  use<K extends ClientKind, T>(kind: K, cdpUrl: string, use: (client: ClientOf<K>) => Promise<T>): Promise<T>;
}

/** The client that a kind of connector gives. */
export type ClientOf<K extends ClientKind> = Connectors[K] extends Connect<infer C> ? C : CdpClient;

/** How each kind of client attaches; a test of the suite may put others in their place. */
export interface Connectors extends Record<ClientKind, Connect> {
  raw: Connect<RawClient>;
}
