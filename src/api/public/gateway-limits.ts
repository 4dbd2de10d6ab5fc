import { limitOf, type RuleBook } from '#contract/rule-book.ts';
import type { GatewayLimits } from '#browsers/index.ts';

/** The bounds of the DevTools gateway as spec/rules/limits.yaml has them. */
export function gatewayLimits(rules: RuleBook): GatewayLimits {
  return {
    messageBytesMax: limitOf(rules, 'cdpMessage'),
    commandBytesMax: limitOf(rules, 'cdpCommand'),
    commandValuesMax: limitOf(rules, 'cdpCommandValues'),
    backlogBytesMax: limitOf(rules, 'cdpBacklog'),
    browserBacklogBytesMax: limitOf(rules, 'cdpBrowserBacklog'),
    nestingMax: limitOf(rules, 'cdpNesting'),
    unansweredMax: limitOf(rules, 'cdpUnanswered'),
    turnMessagesMax: limitOf(rules, 'cdpTurnMessages'),
    turnBytesMax: limitOf(rules, 'cdpTurnBytes'),
    clientsMax: limitOf(rules, 'cdpClients'),
    pingIntervalMs: limitOf(rules, 'cdpPingInterval'),
    pingsUnansweredMax: limitOf(rules, 'cdpPingsUnanswered'),
  };
}
