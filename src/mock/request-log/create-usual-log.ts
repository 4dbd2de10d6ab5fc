import { mock } from '#generated/rules.ts';
import type { Around } from '#api/http/around.ts';
import { type CallLog, createCallLog } from './create-call-log.ts';
import { type ResponsesOf, logRoutes } from './log-routes.ts';
import { watchCalls } from './watch-calls.ts';

/** A log as long as spec/rules/mock.yaml has it, and what notes calls in it. */
export function createUsualLog(
  apiKey: string,
  responsesOf?: ResponsesOf,
): { readonly calls: CallLog; readonly watch: Around } {
  const { callsMax, bodyCharsMax } = mock.log;
  const calls = createCallLog(callsMax);
  return {
    calls,
    watch: watchCalls({ log: calls, routes: logRoutes(responsesOf), apiKey, bodyCharsMax, now: Date.now }),
  };
}
