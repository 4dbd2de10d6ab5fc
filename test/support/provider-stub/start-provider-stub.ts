import { once } from 'node:events';
import { type IncomingMessage, type ServerResponse, createServer } from 'node:http';
import { text as readText } from 'node:stream/consumers';
import { goodAnswers } from './good-answers.ts';
import { type StubRequest, judgeRequest, readRequest } from './judge-request.ts';

/** Answers one request with a correct, a faulty or no response. */
export type Behaviour = (response: ServerResponse, request: StubRequest) => void;

/** A stub of all model providers. Each has the base URL `<address>/<provider>`. */
export interface ProviderStub {
  readonly address: string;
  /** All received requests. */
  readonly requests: readonly StubRequest[];
  /** Reasons why providers would have rejected requests. */
  readonly problems: readonly string[];
  /** Behaviours for the next valid requests, in order. Without an entry, the stub sends a good response. */
  readonly next: Behaviour[];
  [Symbol.asyncDispose](): Promise<void>;
}

/** The key that the stub expects. */
export const stubKey = 'key-of-the-stub';

/**
 * Starts a stub on loopback that judges each request by its provider's documentation. The stub answers an invalid
 * request with 400.
 */
export async function startProviderStub(apiKey = stubKey): Promise<ProviderStub> {
  const requests: StubRequest[] = [];
  const problems: string[] = [];
  const next: Behaviour[] = [];
  const answer = async (incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
    const request = readRequest(incoming.url ?? '', incoming.headers, await readText(incoming));
    requests.push(request);
    const found = judgeRequest(request, apiKey);
    problems.push(...found.map((problem) => `${request.provider}${request.path}: ${problem}`));
    if (found.length > 0)
      answerJson(400, { error: { type: 'invalid_request_error', message: found.join('; ') } })(response, request);
    else (next.shift() ?? answerWell())(response, request);
  };
  const server = createServer((incoming, response) => {
    answer(incoming, response).catch((error: unknown) => {
      problems.push(String(error));
      response.destroy();
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const place = server.address();
  if (typeof place !== 'object' || place === null) throw new Error('found no address of the stub');
  return {
    address: `http://127.0.0.1:${place.port}`,
    requests,
    problems,
    next,
    async [Symbol.asyncDispose]() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

/** Creates a behaviour that answers with a JSON body. */
export function answerJson(status: number, body: unknown, headers: Readonly<Record<string, string>> = {}): Behaviour {
  return (response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
  };
}

/** Creates a behaviour that answers correctly in the format of the requested API. */
export function answerWell(
  said: Parameters<(typeof goodAnswers)['chat-completions']>[0] = { text: 'Done.' },
): Behaviour {
  return (response, request) => {
    if (request.api === null) throw new Error('found a request of no wire');
    answerJson(200, goodAnswers[request.api](said))(response, request);
  };
}
