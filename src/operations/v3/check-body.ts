import { type Problem, problem } from '#contract/problems.ts';
import type { Caller } from '../common/caller.ts';
import { checkCeiling, checkSchema, checkScreen } from '../common/check-settings.ts';
import { checkSensitiveData } from './sensitive-data.ts';
import type { CreateBody } from './create-command.ts';

/** What the schema of the body cannot say: pairs of members, an amount above zero, a schema that can be used. */
export async function checkBody(body: CreateBody, caller: Caller): Promise<Problem | null> {
  const screen = { width: body.browserScreenWidth, height: body.browserScreenHeight };
  return (
    checkScreen(screen, ['body', 'browserScreenWidth']) ??
    checkCeiling(body.maxCostUsd, '0') ??
    (await checkSchema(body.outputSchema, caller)) ??
    checkSensitiveData(body, caller.rules)
  );
}

/** A kept script needs a workspace: that of the session, or the one that a new session names. */
export function checkScript({ cacheScript }: CreateBody, workspaceId: string | null | undefined): Problem | null {
  const isLacking = cacheScript === true && typeof workspaceId !== 'string';
  return isLacking ? problem('script_without_workspace', {}, ['body', 'cacheScript']) : null;
}
