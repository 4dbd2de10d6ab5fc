import { limitOf, type RuleBook } from '#contract/rule-book.ts';
import type { LiveLimits } from '#browsers/index.ts';

/** The bounds of the live view as spec/rules/limits.yaml has them. */
export function liveLimits(rules: RuleBook): LiveLimits {
  return {
    messageBytesMax: limitOf(rules, 'liveMessage'),
    backlogBytesMax: limitOf(rules, 'liveBacklog'),
    unshownMax: limitOf(rules, 'liveUnshown'),
    viewersMax: limitOf(rules, 'liveViewers'),
    aliveIntervalMs: limitOf(rules, 'liveAliveInterval'),
    pingIntervalMs: limitOf(rules, 'cdpPingInterval'),
    pingsUnansweredMax: limitOf(rules, 'cdpPingsUnanswered'),
    turnMessagesMax: limitOf(rules, 'cdpTurnMessages'),
    turnBytesMax: limitOf(rules, 'cdpTurnBytes'),
  };
}
