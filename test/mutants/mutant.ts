import type { RequirementId } from '#generated/requirements.ts';
import type { JsonObject } from '#lib/json.ts';
import type { RuleBook } from '#contract/rule-book.ts';
import type { World } from './world.ts';

/** A request of the suite, parsed for a mutant. */
export interface Seen {
  readonly method: string;
  /** Path with query. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** Parsed JSON, or text when it is no JSON. */
  readonly body: unknown;
}

/** A response of the conforming server. */
export interface Given {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Parsed JSON, or text when it is no JSON. */
  readonly body: unknown;
}

/** Changes of requests and responses by a mutant; undefined leaves them unchanged. */
export interface Tamper {
  request?(seen: Seen): Partial<Seen> | undefined;
  answer?(seen: Seen, given: Given): Partial<Given> | undefined;
  /** Whether upload and download URLs pass through the proxy, so that their responses can be changed. */
  addresses?: boolean;
  /** Sends each answer in pieces of this many bytes, with a pause of a millisecond after every second one. @defaultValue at once */
  pieceBytes?: number;
  /** Returns how long the answer to a request takes on its way, in ms. @defaultValue 0 */
  delayMs?(seen: Seen): number;
  /** Changes of CDP connections; with them every returned CDP URL passes through the proxy. */
  sockets?: SocketTamper;
}

/** A client's attempt to connect to a CDP URL. */
export interface UpgradeRequest {
  /** Path of the URL. */
  readonly path: string;
  readonly userAgent: string;
  /** Number of clients connected to the same path. */
  readonly connected: number;
}

/** Changes of CDP connections by a mutant. */
export interface SocketTamper {
  /** Returns false to reject a client, a path to redirect it, true to accept it. */
  open?(upgrade: UpgradeRequest): boolean | string | Promise<boolean | string>;
  /** Called with each new connection, and with a function that cuts it. */
  attached?(path: string, cut: () => void): void;
  /** Called with each command before the good server receives it. */
  command?(path: string, method: string): void;
  /** Changes a command before the good server receives it. */
  rewrite?(command: JsonObject): JsonObject;
  /** Maximum length of a client's message in characters; a longer one closes the connection. */
  largest?: number;
  /** Called when a client closes the connection; the code is 1006 without a closing handshake. */
  closed?(path: string, code: number): void;
}

/**
 * A server with one violation of the contract. It names in advance the requirement that must fail and all others that
 * may fail.
 */
export interface Mutant {
  /** Permanent name, kebab-case. */
  readonly id: string;
  /** The violation as a sentence. */
  readonly breaks: string;
  /**
   * `reference`: with simulated browsers, and without standalone ones, which have no Chromium that a client could
   * drive; `scripted`: with pages that a raw client can work in, `chromium`: with real browsers and real clients, both
   * judged by their standalone browsers alone; `providers`: the reference with a stub as its model providers, judged by
   * what reaches it.
   */
  readonly server: 'reference' | 'mock' | 'scripted' | 'chromium' | 'providers';
  readonly target: RequirementId;
  readonly mayAlso?: readonly RequirementId[];
  /** Generations, areas or ids to judge when a mutant breaks nothing else. @defaultValue everything */
  readonly only?: readonly string[];
  /** `full` when a single required cell is rejected, which only a complete matrix finds. @defaultValue `sample` */
  readonly matrix?: 'full';
  /** Returns a changed copy of the server's rule tables. */
  readonly rules?: (rules: RuleBook) => RuleBook;
  /** Changes the text of its target file. */
  readonly targetFile?: (text: string) => string;
  /** A change made between the suite and a good server. A function where it has to remember something of one run. */
  readonly tamper?: Tamper | ((world: World) => Tamper);
}

/** A choice that no sentence of the contract forbids, and the rows that have once accused it. */
export interface Choice extends Pick<Mutant, 'tamper' | 'targetFile'> {
  readonly name: string;
  readonly only: readonly string[];
  /** Rows that a whole run finds violated, because this server does not offer all that the contract lists. */
  readonly promises?: readonly string[];
  /** @defaultValue `reference` */
  readonly server?: Mutant['server'];
}
