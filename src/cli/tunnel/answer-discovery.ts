import type { IncomingMessage, ServerResponse } from 'node:http';
import { devtoolsDomains } from '#generated/devtools.ts';
import { listAnswer, versionAnswer } from '#browsers/gateway/create-gateway.ts';
import type { JsonObject } from '#lib/json.ts';
import { askBrowser } from './ask-browser.ts';
import { checkCaller } from './check-caller.ts';
import { TunnelFault } from './tunnel-fault.ts';
import type { Way } from './way.ts';

/** One request that is no upgrade, and the websocket address of the browser through the tunnel. */
export interface Question {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly address: string;
}

type Describe = (way: Way, address: string) => Promise<JsonObject | JsonObject[]>;

const version: Describe = async (way, address) => versionAnswer(await askBrowser(way, 'Browser.getVersion'), address);
const list: Describe = async (way, address) => {
  const pages = listAnswer(await askBrowser(way, 'Target.getTargets'));
  return pages.map(({ id = '', ...page }) => {
    const { href } = new URL(`/devtools/page/${typeof id === 'string' ? id : ''}`, address);
    return { id, ...page, webSocketDebuggerUrl: href };
  });
};

/** Names of commands and events, of which clients make their methods. */
const protocol: Describe = async () => ({
  version: { major: '1', minor: '3' },
  domains: devtoolsDomains.map(({ domain, commands, events }) => ({
    domain,
    commands: commands.map((name) => ({ name })),
    events: events.map((name) => ({ name })),
  })),
});

/** What Chromium's own port answers; chromedriver wants the first two, chrome-remote-interface the second and the last. */
const ANSWERS: Readonly<Record<string, Describe>> = {
  '/json/version': version,
  '/json/list': list,
  '/json': list,
  '/json/protocol': protocol,
};

/** Answers a GET as Chromium's own DevTools port would. Settles with the fault that it could not be answered for, or null. */
export async function answerDiscovery(way: Way, { request, response, address }: Question): Promise<TunnelFault | null> {
  const refusal = checkCaller(request);
  if (refusal !== null) return send(response, 403, { error: refusal });
  const describe = request.method === 'GET' ? ANSWERS[(request.url ?? '').replace(/\/$/, '')] : undefined;
  if (describe === undefined) return send(response, 404, { error: 'There is no such address.' });
  try {
    return send(response, 200, await describe(way, address));
  } catch (error) {
    if (!(error instanceof TunnelFault)) throw error;
    send(response, 502, { error: error.message });
    return error;
  }
}

function send(response: ServerResponse, status: number, body: JsonObject | JsonObject[]): null {
  response.writeHead(status, { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store' });
  response.end(JSON.stringify(body));
  return null;
}
