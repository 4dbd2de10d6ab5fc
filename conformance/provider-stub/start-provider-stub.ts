import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from '../transport/node-http.ts';
import type { StubAnswer } from './answer-call.ts';
import { callPath } from './mark.ts';
import { readRequest } from './read-request.ts';
import { type StubManner, createStubService } from './serve-stub.ts';
import { type Place, addressOf } from './stub-address.ts';
import { type ProviderCall, wireFamilies } from '../core/provider-call.ts';
import { type JsonObject, type JsonValue, isJsonObject, memberAt, textOf } from '../core/json.ts';

/** A stub that runs. */
export interface ProviderStub {
  /** `http://host:port`, where the suite asks it. */
  address: string;
  /** Ends it, and every connection to it. */
  close(): Promise<void>;
}

/** Options for starting a stub; port 0 is any free port. */
export interface StubOptions extends StubManner, Place {}

/** Starts a stub. Rejects when it cannot listen there. */
export async function startProviderStub({ host, port, ...manner }: StubOptions): Promise<ProviderStub> {
  const serve = createStubService(manner);
  const server = createServer((request, response) => void respond(serve, request, response));
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
  const bound = server.address();
  if (bound === null || typeof bound === 'string') throw new Error('expected a port');
  return {
    address: addressOf({ host, port: bound.port }),
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function respond(
  serve: (arrived: Awaited<ReturnType<typeof readRequest>>) => StubAnswer,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  try {
    const arrived = await readRequest(request);
    // What reached the stub is told to this machine alone.
    const isFar = arrived.path === callPath && !isLoopback(request.socket.remoteAddress ?? '');
    const { status, type, text } = isFar ? { status: 404, type: 'text/plain', text: '' } : serve(arrived);
    response.writeHead(status, { 'content-type': type }).end(text);
  } catch (error) {
    // A caller that has gone needs no answer; anything else is told to it.
    if (request.destroyed && !response.writable) return;
    response.writeHead(500, { 'content-type': 'text/plain' }).end(String(error));
  }
}

function isLoopback(address: string): boolean {
  return address === '::1' || /^(::ffff:)?127\./.test(address);
}

/** Returns the calls in an answer of the stub; empty for any other value. */
export function readCalls(answer: JsonValue | undefined): ProviderCall[] {
  const calls = memberAt(answer, 'calls');
  return Array.isArray(calls) ? calls.filter(isJsonObject).map((call) => callOf(call)) : [];
}

function callOf(call: JsonObject): ProviderCall {
  const { index, family, path, model, key, ownKeyOf, body, breaches } = call;
  return {
    index: Number(index),
    family: wireFamilies.find((name) => name === family) ?? 'chat',
    path: textOf(path),
    model: textOf(model),
    key: textOf(key),
    ownKeyOf: typeof ownKeyOf === 'string' ? ownKeyOf : null,
    body: isJsonObject(body) ? body : {},
    breaches: Array.isArray(breaches) ? breaches.map((one) => textOf(one)) : [],
  };
}

/** Reason for rows that are not testable without a provider stub. */
export const noStub = 'the target file names no provider stub (providerStub)';
