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
  /** Parsed JSON, or the text of a body that is not JSON. */
  readonly body: unknown;
}

/** A response of the conforming server. */
export interface Given {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Parsed JSON, or the text of a body that is not JSON. */
  readonly body: unknown;
}

/** Changes of requests and responses by a mutant; undefined leaves them unchanged. */
export interface Tamper {
  request?(seen: Seen): Partial<Seen> | undefined;
  answer?(seen: Seen, given: Given): Partial<Given> | undefined;
  /** True if upload and download URLs lead through the proxy, so that the mutant can change their responses. */
  addresses?: boolean;
  /**
   * Sends each answer in pieces of this many bytes, with a pause of a millisecond after every second piece.
   * @defaultValue the whole answer at once
   */
  pieceBytes?: number;
  /** Returns the delay of the answer to a request, in ms. @defaultValue 0 */
  delayMs?(seen: Seen): number;
  /** Changes of CDP connections. If set, every returned CDP URL passes through the proxy. */
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
  /**
   * Decides what happens to a client that connects: false rejects it, true connects it, and a path connects it to this
   * path instead.
   */
  open?(upgrade: UpgradeRequest): boolean | string | Promise<boolean | string>;
  /** Called with each new connection, and with a function that cuts this connection. */
  attached?(path: string, cut: () => void): void;
  /** Called with each command before the good server receives it. */
  command?(path: string, method: string): void;
  /** Changes a command before the good server receives it. */
  rewrite?(command: JsonObject): JsonObject;
  /** Maximum length, in characters, of a message that a client sends. A longer message closes the connection. */
  largest?: number;
  /** Called when a client closes the connection; the code is 1006 without a closing handshake. */
  closed?(path: string, code: number): void;
}

/**
 * A server with one violation of the contract, and the expected result: `target` is the requirement that must fail,
 * `mayAlso` lists all other requirements that may fail.
 */
export interface Mutant {
  /** Permanent name, kebab-case. */
  readonly id: string;
  /** The violation as a sentence. */
  readonly breaks: string;
  /**
   * Kind of server. `reference`: simulated browsers, without standalone browsers, because clients cannot drive
   * simulated ones. `mock`: the stateless mock. `scripted`: scripted pages for raw clients; judged only by the rows
   * about standalone browsers. `chromium`: real browsers for real clients; judged only by the same rows. `providers`:
   * the reference with a stub as its model providers; judged by the requests to the stub.
   */
  readonly server: 'reference' | 'mock' | 'scripted' | 'chromium' | 'providers';
  readonly target: RequirementId;
  readonly mayAlso?: readonly RequirementId[];
  /**
   * Generations, areas or ids that the suite judges, if the mutant breaks only these.
   * @defaultValue everything that this kind of server is judged by
   */
  readonly only?: readonly string[];
  /**
   * `full` if the mutant rejects a single cell that must be accepted. Only a run with all cells is sure to find it.
   * @defaultValue `sample`
   */
  readonly matrix?: 'full';
  /**
   * Seed of the run, where the violation shows with some seeds only.
   * @defaultValue 1
   */
  readonly seed?: number;
  /** Returns a changed copy of the server's rule tables. */
  readonly rules?: (rules: RuleBook) => RuleBook;
  /** Returns a changed text of the server's target file. */
  readonly targetFile?: (text: string) => string;
  /**
   * Changes of the messages between the suite and a conforming server. Changes with state are given as a function,
   * which is called for each run.
   */
  readonly tamper?: Tamper | ((world: World) => Tamper);
}

/** A choice that the contract allows, and the rows that once reported this choice as a violation. */
export interface Choice extends Pick<Mutant, 'tamper' | 'targetFile'> {
  readonly name: string;
  readonly only: readonly string[];
  /**
   * Requirements that fail in a complete run, because this server does not offer everything that the contract lists.
   */
  readonly promises?: readonly string[];
  /** Kind of server. @defaultValue `reference` */
  readonly server?: Mutant['server'];
}
