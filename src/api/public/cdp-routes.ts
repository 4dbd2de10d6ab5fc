import type { FastifyInstance, FastifyReply } from 'fastify';
import type { CdpGateway, Discovery, GatewayLimits } from '#browsers/index.ts';
import { problem } from '#contract/problems.ts';
import { getLimit, type RuleBook } from '#contract/rule-book.ts';
import { sendProblem } from '../http/refuse.ts';

/** Discovery paths below a DevTools URL, as Chromium has them; Playwright appends a slash. */
const discovery: readonly { readonly path: string; readonly wanted: Discovery }[] = [
  { path: '/json/version', wanted: 'version' },
  { path: '/json/version/', wanted: 'version' },
  { path: '/json/list', wanted: 'list' },
  { path: '/json/list/', wanted: 'list' },
  { path: '/json', wanted: 'list' },
  { path: '/json/', wanted: 'list' },
];

/** Adds the routes of DevTools discovery. The token in the path grants access without a key (companion 8 D1 to D3). */
export function addCdpRoutes(app: FastifyInstance, gateway: CdpGateway, rules: RuleBook): void {
  for (const { path, wanted } of discovery) {
    app.get<{ Params: { token: string } }>(`/devtools/browser/:token${path}`, (request, reply) =>
      discover({ gateway, rules, wanted }, request.params.token, reply),
    );
  }
}

interface Discover {
  readonly gateway: CdpGateway;
  readonly rules: RuleBook;
  readonly wanted: Discovery;
}

async function discover(
  { gateway, rules, wanted }: Discover,
  token: string,
  reply: FastifyReply,
): Promise<FastifyReply> {
  try {
    const found = await gateway.discover(token, wanted);
    if (found === null) return sendProblem(reply, problem('route_not_found', {}), rules);
    return reply.header('cache-control', 'no-store').send(found);
  } catch (error) {
    // The browser did not start, or does not respond: the response is the same as for an upgrade.
    reply.log.warn({ err: error }, 'a DevTools client found no browser');
    return sendProblem(reply, problem('browser_not_started', {}), rules);
  }
}

/** Returns the limits of the DevTools gateway from spec/rules/limits.yaml. */
export function gatewayLimits(rules: RuleBook): GatewayLimits {
  return {
    messageBytesMax: getLimit(rules, 'cdpMessage'),
    commandBytesMax: getLimit(rules, 'cdpCommand'),
    commandValuesMax: getLimit(rules, 'cdpCommandValues'),
    backlogBytesMax: getLimit(rules, 'cdpBacklog'),
    browserBacklogBytesMax: getLimit(rules, 'cdpBrowserBacklog'),
    nestingMax: getLimit(rules, 'cdpNesting'),
    unansweredMax: getLimit(rules, 'cdpUnanswered'),
    turnMessagesMax: getLimit(rules, 'cdpTurnMessages'),
    turnBytesMax: getLimit(rules, 'cdpTurnBytes'),
    clientsMax: getLimit(rules, 'cdpClients'),
    pingIntervalMs: getLimit(rules, 'cdpPingInterval'),
    pingsUnansweredMax: getLimit(rules, 'cdpPingsUnanswered'),
  };
}
