import { problem } from '#contract/problems.ts';
import type { RuleBook } from '#contract/rule-book.ts';
import { refuse } from '../http/refuse.ts';
import type { WireReply, WireRequest } from '#contract/http-messages.ts';

const answeredElsewhere = ['/api/', '/console/'];

/**
 * What a process that only runs sandboxes says to a request of the interface or the console (decision 51): that it came to the wrong one,
 * whoever sent it. Nothing of the request is read. The page of the console and unknown paths are not there.
 */
export async function answerElsewhere(rules: RuleBook, { path }: Pick<WireRequest, 'path'>): Promise<WireReply> {
  const isMisdirected = answeredElsewhere.some((base) => path.startsWith(base));
  return refuse(problem(isMisdirected ? 'not_answered_here' : 'route_not_found', {}), rules);
}
