import type { RequirementId } from '#generated/requirements.ts';
import type { JsonObject } from '#lib/json.ts';
import type { RuleBook } from '#contract/rule-book.ts';
import type { World } from './world.ts';

/** A request as the suite sent it, readable by a mutant. */
export interface Seen {
  readonly method: string;
  /** Path with query. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** Parsed JSON, or the text where it is none. */
  readonly body: unknown;
}

/** An answer as the good server gave it. */
export interface Given {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Parsed JSON, or the text where it is none. */
  readonly body: unknown;
}

/** What a mutant puts in the place of a request or an answer; undefined leaves it as it is. */
export interface Tamper {
  request?(seen: Seen): Partial<Seen> | undefined;
  answer?(seen: Seen, given: Given): Partial<Given> | undefined;
  /** True where upload and download addresses have to lead through the proxy, so that what they open can be changed. */
  addresses?: boolean;
  /** Sends each answer in pieces of this many bytes, with a pause of a millisecond after every second one. @defaultValue at once */
  pieceBytes?: number;
  /** Where it is given, every CDP address that is handed out leads through the proxy. */
  sockets?: SocketTamper;
}

/** A client that wants to connect to a CDP address. */
export interface Knock {
  /** Path of the address. */
  readonly path: string;
  readonly userAgent: string;
  /** Clients that are connected to the same path. */
  readonly connected: number;
}

/** What a mutant does to CDP connections. */
export interface SocketTamper {
  /** False turns a client away, a path leads it there instead, true lets it through. */
  open?(knock: Knock): boolean | string | Promise<boolean | string>;
  /** Hears of each command before the good server does. */
  command?(path: string, method: string): void;
  /** Changes a command before the good server gets it. */
  rewrite?(command: JsonObject): JsonObject;
  /** Longest message of a client, in characters; a longer one ends its connection. */
  largest?: number;
  /** Hears of the end of a connection by the client; the code is 1006 where there was no closing handshake. */
  closed?(path: string, code: number): void;
}

/**
 * A server that breaks the contract in one way. Before it is run it names the requirement that has to fail and all that may
 * fail with it: the failing ids contain the first and lie within both.
 */
export interface Mutant {
  /** Permanent name, kebab-case. */
  readonly id: string;
  /** What is broken, as a sentence. */
  readonly breaks: string;
  /**
   * `reference`: with simulated browsers, and without standalone ones, which have no Chromium that a client could drive;
   * `scripted`: with pages that a raw client can work in, `chromium`: with real browsers and real clients, both judged by
   * their standalone browsers alone; `providers`: the reference with a stub as its model providers, judged by what reaches it.
   */
  readonly server: 'reference' | 'mock' | 'scripted' | 'chromium' | 'providers';
  readonly target: RequirementId;
  readonly mayAlso?: readonly RequirementId[];
  /** Generations, areas or ids to judge, where a mutant breaks nothing else. @defaultValue everything */
  readonly only?: readonly string[];
  /** `full` where one cell that has to be accepted is not: it has to be sent to be found. @defaultValue `sample` */
  readonly matrix?: 'full';
  /** A flipped copy of the rule tables that the server decides by. */
  readonly rules?: (rules: RuleBook) => RuleBook;
  /** A change made between the suite and a good server. A function where it has to remember something of one run. */
  /** Changes the text of its target file. */
  readonly targetFile?: (text: string) => string;
  readonly tamper?: Tamper | ((world: World) => Tamper);
}
