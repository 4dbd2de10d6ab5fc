import { once } from 'node:events';
import { type IncomingMessage, type Server, type ServerResponse, createServer } from 'node:http';
import { json } from 'node:stream/consumers';

/** A span as received by a collector. */
export interface SeenSpan {
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  /** Empty for the first span of a trace. */
  readonly parentSpanId: string;
  /** 1 internal, 2 server, 3 client. */
  readonly kind: number;
  readonly startMs: number;
  readonly endMs: number;
  readonly facts: Readonly<Record<string, unknown>>;
  /** Ids of the linked spans. */
  readonly links: readonly string[];
  /** 2 for a failure. */
  readonly status: number;
}

/** A collector of OpenTelemetry traces over HTTP with JSON. */
export interface Collector {
  readonly address: string;
  readonly spans: readonly SeenSpan[];
  /** Returns the resource attributes of the latest batch. */
  resource(): Readonly<Record<string, unknown>>;
  /** Returns the headers of the latest request. */
  headers(): IncomingMessage['headers'];
  /** Returns the number of requests. */
  count(): number;
  /** Returns all accepted batches as JSON. */
  text(): string;
  /**
   * What the collector does with the next requests: `takes` accepts them, `hangs` does not answer, `refuses` rejects
   * them.
   * @defaultValue `takes`
   */
  behaviour: 'takes' | 'hangs' | 'refuses';
  close(): Promise<void>;
}

/** Starts a collector on a loopback port, by default a free port. */
export async function startCollector(port = 0): Promise<Collector> {
  const bodies: Batch[] = [];
  let count = 0;
  let headers: IncomingMessage['headers'] = {};
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    count += 1;
    headers = request.headers;
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what is no batch fails where it is looked at
    const body = (await json(request)) as Batch;
    if (collector.behaviour === 'hangs') return;
    const isTaken = request.url === '/v1/traces' && collector.behaviour === 'takes';
    if (isTaken) bodies.push(body);
    response.writeHead(isTaken ? 200 : 400, { 'content-type': 'application/json' }).end('{}');
  };
  const server: Server = createServer((request, response) => void answer(request, response));
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  const found = server.address();
  if (found === null || typeof found === 'string') throw new Error('expected a port');
  const collector: Collector = {
    address: `http://127.0.0.1:${found.port}`,
    get spans() {
      return bodies.flatMap(({ resourceSpans }) =>
        resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans.map(seen))),
      );
    },
    resource: () => toFacts(bodies.at(-1)?.resourceSpans[0]?.resource.attributes ?? []),
    headers: () => headers,
    count: () => count,
    text: () => JSON.stringify(bodies),
    behaviour: 'takes',
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
  return collector;
}

interface Batch {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly Attribute[] };
    readonly scopeSpans: readonly { readonly spans: readonly WireSpan[] }[];
  }[];
}

interface Attribute {
  readonly key: string;
  readonly value: Readonly<Record<string, unknown>>;
}

interface WireSpan {
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly kind: number;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: readonly Attribute[];
  readonly links: readonly { readonly spanId: string }[];
  readonly status: { readonly code?: number };
}

/**
 * Converts nanoseconds since 1970 to milliseconds with microseconds as fraction. Computes with BigInt, because a number
 * cannot hold so many nanoseconds exactly.
 */
function toMs(nanoseconds: string): number {
  return Number(BigInt(nanoseconds) / 1_000n) / 1_000;
}

function seen({ attributes, startTimeUnixNano, endTimeUnixNano, links, ...span }: WireSpan): SeenSpan {
  return {
    name: span.name,
    traceId: span.traceId,
    spanId: span.spanId,
    parentSpanId: span.parentSpanId ?? '',
    kind: span.kind,
    startMs: toMs(startTimeUnixNano),
    endMs: toMs(endTimeUnixNano),
    facts: toFacts(attributes),
    links: links.map(({ spanId }) => spanId),
    status: span.status.code ?? 0,
  };
}

function toFacts(attributes: readonly Attribute[]): Record<string, unknown> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));
}
