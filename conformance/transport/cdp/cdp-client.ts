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

/** Attaches a client to a websocket address. Throws CdpFault when nobody is there. */
export type Connect<C extends CdpClient = CdpClient> = (address: string, limits: CdpLimits) => Promise<C>;
