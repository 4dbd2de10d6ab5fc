import type { Logger } from 'pino';
import { loadOptional } from '#contract/load-optional.ts';
import type { Connection, ConnectOptions } from './connect.ts';
import {
  type Integration,
  type IntegrationBounds,
  type IntegrationCall,
  IntegrationError,
  type IntegrationSecret,
  type IntegrationTool,
  isFor,
} from './integration.ts';

/** A use of an integration: the project that uses it, the name of the integration, and the signal that ends the use. */
export interface IntegrationUse {
  readonly projectId: string;
  readonly name: string;
  readonly signal: AbortSignal;
  /** Called before a tool is called, once the connection to the server is open. @defaultValue nothing */
  readonly onReached?: () => Promise<void>;
}

/**
 * Integrations of a service, with their processes and connections. Each project has its own process or connection for
 * each integration. The first use starts the process or connection. Methods reject with an IntegrationError, or with
 * the signal's reason.
 */
export interface Integrations {
  /** Returns the integrations that a project may use. */
  list(projectId: string): readonly Integration[];
  tools(use: IntegrationUse): Promise<readonly IntegrationTool[]>;
  call(use: IntegrationUse, call: IntegrationCall): Promise<string>;
  /** Ends the connection of a project, for example because a secret has changed; the next use starts a new one. */
  forget(projectId: string, name: string): Promise<void>;
  /** Ends all processes and connections; nothing starts afterwards. */
  close(): Promise<void>;
}

/** Dependencies of {@link createIntegrations}. */
export interface IntegrationsDeps {
  readonly integrations: readonly Integration[];
  readonly bounds: IntegrationBounds;
  /** Returns the secrets that a project has stored for an integration. */
  readonly secrets: (projectId: string, integration: Integration) => Promise<readonly IntegrationSecret[]>;
  readonly log: Pick<Logger, 'warn'>;
}

/** A connection that is open or being opened. */
interface Entry {
  readonly opened: Promise<Connection>;
  /** Aborts the attempt to connect. */
  readonly attempt: AbortController;
  connection: Connection | null;
  /** Number of uses in progress. */
  busy: number;
  idle: NodeJS.Timeout | null;
}

/** Creates the owner of a service's integration connections. Each connection opens with its first use. */
export function createIntegrations(deps: IntegrationsDeps): Integrations {
  const owner = new ConnectionOwner(deps);
  return {
    list: (projectId) => deps.integrations.filter((one) => isFor(one, projectId)),
    tools: (use) => owner.use(use, (connection) => connection.tools(use.signal)),
    call: (use, call) =>
      owner.use(use, async (connection) => {
        await use.onReached?.();
        return connection.call(call, use.signal);
      }),
    forget: (projectId, name) => owner.drop(keyFor(projectId, name)),
    close: () => owner.close(),
  };
}

function keyFor(projectId: string, name: string): string {
  return `${projectId} ${name}`;
}

class ConnectionOwner {
  readonly #deps: IntegrationsDeps;
  /** Connections by project and integration, the least recently used connection first. */
  readonly #entries = new Map<string, Entry>();
  readonly #ending = new Set<Promise<void>>();
  #isClosed = false;

  constructor(deps: IntegrationsDeps) {
    this.#deps = deps;
  }

  async use<Result>(
    { projectId, name, signal }: IntegrationUse,
    act: (connection: Connection) => Promise<Result>,
  ): Promise<Result> {
    signal.throwIfAborted();
    const integration = this.#deps.integrations.find((one) => one.name === name && isFor(one, projectId));
    if (integration === undefined) throw new IntegrationError(`There is no integration "${name}".`);
    const key = keyFor(projectId, name);
    const entry = this.#entry(key, integration, projectId);
    entry.busy += 1;
    if (entry.idle !== null) clearTimeout(entry.idle);
    try {
      return await act(await Promise.race([entry.opened, untilAborted(signal)]));
    } finally {
      entry.busy -= 1;
      this.#rest(key, entry);
    }
  }

  async drop(key: string): Promise<void> {
    const entry = this.#entries.get(key);
    if (entry !== undefined) await this.#end(key, entry);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all(Array.from(this.#entries, ([key, entry]) => this.#end(key, entry)));
    await Promise.all(this.#ending);
  }

  #entry(key: string, integration: Integration, projectId: string): Entry {
    if (this.#isClosed) throw new IntegrationError('The service is shutting down.');
    const known = this.#entries.get(key);
    const isLost = known?.connection?.isOpen === false;
    if (known !== undefined && !isLost) {
      this.#entries.delete(key);
      this.#entries.set(key, known);
      return known;
    }
    if (isLost) this.#entries.delete(key);
    this.#makeRoom();
    const attempt = new AbortController();
    const opened = this.#open(integration, projectId, attempt.signal);
    const entry: Entry = { opened, attempt, connection: null, busy: 0, idle: null };
    this.#entries.set(key, entry);
    entry.opened.then(
      (connection) => void (entry.connection = connection),
      // A later use tries again.
      () => this.#entries.get(key) === entry && this.#entries.delete(key),
    );
    return entry;
  }

  async #open(integration: Integration, projectId: string, signal: AbortSignal): Promise<Connection> {
    const secrets = await this.#deps.secrets(projectId, integration);
    const { connect } = await loadOptional('integrations', () => import('./connect.ts'));
    const onLost: ConnectOptions['onLost'] = (said) =>
      this.#deps.log.warn(
        { integration: integration.name, project: projectId, said },
        'a server of an integration ended or did not start',
      );
    return connect(integration, { secrets, bounds: this.#deps.bounds, signal, onLost });
  }

  /**
   * Ends the least recently used idle connection when the limit of connections is reached. Throws an IntegrationError
   * when all are busy.
   */
  #makeRoom(): void {
    const { connections } = this.#deps.bounds;
    if (this.#entries.size < connections) return;
    const [unused] = Array.from(this.#entries).filter(([, { busy }]) => busy === 0);
    if (unused === undefined)
      throw new IntegrationError(`All ${connections} connections of integrations are in use: try again later.`);
    void this.#end(...unused);
  }

  /**
   * Closes a connection after the idle time, or at once when it is unusable. Does nothing while a use is in progress.
   */
  #rest(key: string, entry: Entry): void {
    if (entry.busy > 0 || this.#entries.get(key) !== entry) return;
    if (entry.connection?.isOpen === false) void this.#end(key, entry);
    else entry.idle = setTimeout(() => void this.#end(key, entry), this.#deps.bounds.idleMs).unref();
  }

  #end(key: string, entry: Entry): Promise<void> {
    if (this.#entries.get(key) === entry) this.#entries.delete(key);
    if (entry.idle !== null) clearTimeout(entry.idle);
    entry.attempt.abort(new IntegrationError('The integration is not used any more.'));
    const ended = entry.opened
      .then(
        (connection) => connection.close(),
        // The connection was never open. The use that started it has reported why.
        () => undefined,
      )
      .finally(() => this.#ending.delete(ended));
    this.#ending.add(ended);
    return ended;
  }
}

/** Rejects with the reason of a signal once it is aborted. */
function untilAborted(signal: AbortSignal): Promise<never> {
  const { promise, reject } = Promise.withResolvers<never>();
  signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  return promise;
}
