import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import {
  type CallToolResult,
  CallToolResultSchema,
  ErrorCode,
  type ListToolsResult,
  ListToolsResultSchema,
  McpError,
} from '@modelcontextprotocol/sdk/types.js';
import type { JsonObject } from '#lib/json.ts';
import { packageVersion } from '#lib/package-version.ts';
import { createRedactor, type Redactor } from '../redaction/redactor.ts';
import type {
  Integration,
  IntegrationBounds,
  IntegrationCall,
  IntegrationSecret,
  IntegrationTool,
  SecretTemplate,
} from './integration.ts';
import { IntegrationError } from './integration.ts';
import { ChildTransport, createBoundedFetch, HttpTransport, saidMax } from './transports.ts';

/**
 * An open connection to the server of an integration, for one project. Its methods reject with an IntegrationError, or
 * with the reason of the aborted signal.
 */
export interface Connection {
  /** False once the server has ended or the connection can no longer be used. */
  readonly isOpen: boolean;
  /** Lists the tools that the configuration allows. */
  tools(signal: AbortSignal): Promise<readonly IntegrationTool[]>;
  /** Calls a tool and returns the text of its result. */
  call(call: IntegrationCall, signal: AbortSignal): Promise<string>;
  /** Ends the process or the connection. */
  close(): Promise<void>;
}

/** Options of a connection besides its integration. */
export interface ConnectOptions {
  /** Secrets that the project has stored for the integration. */
  readonly secrets: readonly IntegrationSecret[];
  readonly bounds: IntegrationBounds;
  /** Aborted when the connection is no longer needed; ends an attempt to connect. */
  readonly signal: AbortSignal;
  /**
   * Called when the connection to a server ends by itself or cannot be opened. Receives the last part of the server's
   * standard error without secrets; empty for an HTTP server.
   */
  readonly onLost: (said: string) => void;
}

/** Connects to the server of an integration. Rejects with an IntegrationError. */
export async function connect(integration: Integration, options: ConnectOptions): Promise<Connection> {
  const { secrets, bounds, signal } = options;
  const redactor = createRedactor([...integration.ownSecrets, ...secrets].map((one) => ({ ...one, domains: null })));
  const transport = createTransport(integration, options);
  const client = new Client({ name: 'svc', version: packageVersion() }, { capabilities: {} });
  const connection = new McpConnection({ client, transport, redactor, integration, options });
  try {
    await client.connect(transport, { timeout: bounds.connectMs, signal });
    return connection;
  } catch (error) {
    await connection.close();
    if (!signal.aborted) options.onLost(connection.said);
    throw connection.fault(error);
  }
}

type McpTransport = ChildTransport | HttpTransport;

function createTransport({ transport }: Integration, { secrets, bounds }: ConnectOptions): McpTransport {
  const filled = (templates: ReadonlyMap<string, SecretTemplate>): Record<string, string> =>
    Object.fromEntries(Array.from(templates, ([name, template]) => [name, fill(template, secrets)]));
  const { answerBytes, callMs } = bounds;
  if (transport.kind === 'stdio') return new ChildTransport({ ...transport, env: filled(transport.env), answerBytes });
  return new HttpTransport(new URL(transport.url), {
    fetch: createBoundedFetch({ answerBytes, answerMs: callMs }),
    requestInit: { headers: filled(transport.headers) },
    redirectPolicy: 'same-origin',
    // A response that breaks off is not requested again: the call fails.
    reconnectionOptions: {
      maxRetries: 0,
      initialReconnectionDelay: 0,
      maxReconnectionDelay: 0,
      reconnectionDelayGrowFactor: 1,
    },
  });
}

function fill(template: SecretTemplate, secrets: readonly IntegrationSecret[]): string {
  return template
    .map((piece) => {
      if (typeof piece === 'string') return piece;
      const stored = secrets.find(({ name }) => name === piece.secret);
      if (stored === undefined)
        throw new IntegrationError(`The project has not stored the secret ${piece.secret}: store it in the console.`);
      return stored.value;
    })
    .join('');
}

/** Timeout of a ping, and of the request that ends the MCP session of an HTTP server, in milliseconds. */
const pingMs = 2_000;
/** Maximum number of pages of a list of tools; a longer list is an error. */
const pagesMax = 20;
/** Maximum number of characters of an error; the rest is cut off. */
const errorMax = 1_000;
/** Number of characters of an error that are redacted: more than are shown, so that no cut leaves a part of a secret. */
const redactedMax = 100_000;

interface Parts {
  readonly client: Client;
  readonly transport: McpTransport;
  readonly redactor: Redactor;
  readonly integration: Integration;
  readonly options: ConnectOptions;
}

class McpConnection implements Connection {
  readonly #parts: Parts;
  #isOpen = true;
  #closed: Promise<void> | null = null;
  /**
   * Last error of the transport; null before the first error. Once the connection is closed, {@link fault} reports this
   * error as the cause.
   */
  #cause: Error | null = null;

  constructor(parts: Parts) {
    this.#parts = parts;
    const { client } = parts;
    // The client of the SDK is no EventTarget: it has one handler property for each event.
    Object.assign(client, {
      onerror: (error: Error) => void (this.#cause = error),
      onclose: () => this.#lose(),
    });
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** The end of what a server process has written to its standard error, without secrets; empty for an HTTP server. */
  get said(): string {
    const { transport, redactor } = this.#parts;
    if (!(transport instanceof ChildTransport)) return '';
    const { said } = transport;
    // A text whose beginning was dropped may begin within a secret.
    return redactor.text(said).slice(said.length < saidMax ? 0 : redactor.longest);
  }

  async tools(signal: AbortSignal): Promise<readonly IntegrationTool[]> {
    const { integration, redactor } = this.#parts;
    const { tools: toolsMax, listBytes } = this.#parts.options.bounds;
    const found: IntegrationTool[] = [];
    let cursor: string | undefined;
    let pages = 0;
    do {
      const params = cursor === undefined ? {} : { cursor };
      const page = await this.#ask(signal, (options) =>
        this.#parts.client.request({ method: 'tools/list', params }, ListToolsResultSchema, options),
      );
      const wanted = page.tools.filter(({ name }) => integration.tools?.has(name) !== false);
      found.push(...wanted.map((tool) => toTool(tool)));
      if (found.length > toolsMax)
        throw new IntegrationError(
          `The server has more than ${toolsMax} tools: name those to use in the file of --integrations (tools).`,
        );
      pages += 1;
      cursor = page.nextCursor;
      if (pages === pagesMax && cursor !== undefined)
        throw new IntegrationError(
          `The list of tools has more than ${pagesMax} pages: let the server send more tools in a page.`,
        );
    } while (cursor !== undefined);
    if (Buffer.byteLength(JSON.stringify(found)) > listBytes)
      throw new IntegrationError(
        `The descriptions of the tools have more than ${listBytes} bytes: name those to use in the file of --integrations (tools).`,
      );
    return Promise.all(found.map(async (tool) => redacted(tool, redactor)));
  }

  async call({ tool, input }: IntegrationCall, signal: AbortSignal): Promise<string> {
    const { integration, client, redactor } = this.#parts;
    if (integration.tools?.has(tool) === false)
      throw new IntegrationError(`The integration ${integration.name} has no tool "${tool}".`);
    const params = { name: tool, arguments: input };
    const result = await this.#ask(signal, (options) =>
      client.request({ method: 'tools/call', params }, CallToolResultSchema, options),
    );
    const text = await redactor.paced(getText(result));
    if (result.isError === true) throw new IntegrationError(`The tool failed: ${text}`);
    return text;
  }

  close(): Promise<void> {
    this.#isOpen = false;
    this.#closed ??= this.#end();
    return this.#closed;
  }

  /** Returns an error for the model and the console, without secrets. */
  fault(error: unknown): IntegrationError {
    if (error instanceof IntegrationError) return error;
    const isClosed = hasCode(error, ErrorCode.ConnectionClosed);
    const cause = isClosed && this.#cause !== null ? this.#cause : error;
    const message = cause instanceof Error ? cause.message : String(cause);
    return new IntegrationError(this.#parts.redactor.text(message.slice(0, redactedMax)).slice(0, errorMax));
  }

  /** Sends a request with the timeout of calls. After a failure, closes a connection that can no longer be used. */
  async #ask<Result>(
    signal: AbortSignal,
    ask: (options: { signal: AbortSignal; timeout: number }) => Promise<Result>,
  ): Promise<Result> {
    const timeout = this.#parts.options.bounds.callMs;
    try {
      return await ask({ signal, timeout });
    } catch (error) {
      if (!(await this.#isUsable(error, signal))) await this.close();
      signal.throwIfAborted();
      throw this.fault(error);
    }
  }

  /**
   * Returns whether an open connection can be used after an error: the request was aborted, the server answered with an
   * error, or the server answers a ping after the request has timed out.
   */
  async #isUsable(error: unknown, signal: AbortSignal): Promise<boolean> {
    const isTimeout = hasCode(error, ErrorCode.RequestTimeout);
    if (!this.#isOpen || signal.aborted) return this.#isOpen;
    if (!isTimeout) return error instanceof McpError && !hasCode(error, ErrorCode.ConnectionClosed);
    return this.#parts.client.ping({ timeout: pingMs }).then(
      () => true,
      () => false,
    );
  }

  #lose(): void {
    if (!this.#isOpen) return;
    this.#parts.options.onLost(this.said);
    void this.close();
  }

  async #end(): Promise<void> {
    const { client, transport } = this.#parts;
    if (transport instanceof HttpTransport) await endSession(transport);
    await client.close();
    // After a failed start, the client has no transport any more, but the process of the transport may still run.
    await transport.close();
  }
}

function hasCode(error: unknown, code: number): boolean {
  return error instanceof McpError && error.code === code;
}

/**
 * Ends the MCP session of an HTTP server. Waits at most {@link pingMs} and ignores failures, because a server ends
 * unused sessions by itself.
 */
async function endSession(transport: HttpTransport): Promise<void> {
  const timer = AbortSignal.timeout(pingMs);
  const isLate = new Promise<void>((resolve) => timer.addEventListener('abort', () => resolve(), { once: true }));
  await Promise.race([transport.terminateSession().catch(() => undefined), isLate]);
}

/** Maximum nesting depth of a tool's schema or of a structured result. A deeper value is replaced as a whole. */
const depthMax = 32;

function toTool({ name, description = '', inputSchema }: ListToolsResult['tools'][number]): IntegrationTool {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it was parsed from JSON
  const parameters = inputSchema as JsonObject;
  return { name, description, parameters: isShallow(parameters) ? parameters : { type: 'object' } };
}

async function redacted(
  { name, description, parameters }: IntegrationTool,
  redactor: Redactor,
): Promise<IntegrationTool> {
  return {
    name: redactor.text(name),
    description: await redactor.paced(description),
    parameters: await redactor.paced(parameters),
  };
}

/**
 * Returns the text of a tool's result; for a result without content, its structured content as JSON. Pictures, sounds
 * and binary resources are only named.
 */
function getText({ content, structuredContent }: CallToolResult): string {
  const texts = content.map((part) => {
    if (part.type === 'text') return part.text;
    if (part.type === 'resource_link') return `Resource: ${part.uri}`;
    if (part.type === 'resource')
      return 'text' in part.resource ? part.resource.text : `(data of ${part.resource.uri})`;
    return `(${part.mimeType}, left out)`;
  });
  if (texts.length > 0 || structuredContent === undefined) return texts.join('\n');
  return isShallow(structuredContent) ? JSON.stringify(structuredContent) : '(a result nested too deeply, left out)';
}

/** Returns whether a value has at most {@link depthMax} levels; walks it level by level. */
function isShallow(value: unknown): boolean {
  let level: unknown[] = [value];
  for (let depth = 0; depth < depthMax && level.length > 0; depth += 1)
    level = level.flatMap((one) => (typeof one === 'object' && one !== null ? Object.values(one) : []));
  return level.length === 0;
}
