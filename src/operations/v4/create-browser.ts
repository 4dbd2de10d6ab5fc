import { type Problem, isProblem, problem } from '#contract/problems.ts';
import type { Operation } from '../operation.ts';
import type { components } from '#generated/v4.ts';
import type { NewBrowser } from '#sessions/standalone/index.ts';
import type { Caller } from '../common/caller.ts';
import { defaultProxyCountry } from '#contract/defaults.ts';
import { checkCountry } from '../common/check-country.ts';
import { readCustomProxy } from '../common/custom-proxy.ts';
import { limitOf } from '#contract/limits.ts';
import { checkProfile, useProfile } from '../common/named-profile.ts';
import { screenOf } from '#contract/screen.ts';
import { tooMany, tooManyStarting } from '../common/too-many.ts';
import type { BrowserRow } from '#store/browsers.ts';
import { bodyOf } from './body-of.ts';
import { renderBrowser } from './render-browser.ts';

type CreateBrowser = components['schemas']['CreateBrowser'];

/** POST /browsers (contract section 4; companion 4.5 and 7.1): answered when the browser can be connected to. */
export const createBrowser: Operation<Caller, NewBrowser, BrowserRow> = {
  async decide(request, caller) {
    const body = bodyOf(request, 'CreateBrowser');
    const wanted = newBrowser(body, caller);
    return isProblem(wanted) ? wanted : ((await checkProfile(body.profileId, caller)) ?? wanted);
  },
  async apply(wanted, caller) {
    const created = await caller.browsers.create(caller.scope.projectId, wanted);
    if (created.kind === 'tooMany') return tooMany(created);
    if (created.kind === 'busy') return tooManyStarting(created);
    if (created.kind === 'profileInUse') return problem('profile_in_use', { holder: created.holder });
    if (created.kind === 'notStarted') return problem('browser_not_started', {});
    await useProfile(wanted.profileId, caller);
    return created.browser;
  },
  render: (browser, caller) => ({
    status: 201,
    // Its address even when somebody else has stopped it meanwhile, so that the answer always has one.
    body: { ...renderBrowser(browser, caller), cdpUrl: caller.addresses.cdp(browser) },
  }),
};

function newBrowser(body: CreateBrowser, caller: Caller): NewBrowser | Problem {
  const { rules } = caller;
  const timeoutMinutes = checkTimeout(body.timeout ?? limitOf(rules, 'browserTimeoutDefault'), rules);
  if (isProblem(timeoutMinutes)) return timeoutMinutes;
  const customProxy = readCustomProxy(body.customProxy, ['customProxy']);
  if (isProblem(customProxy)) return customProxy;
  const noExit = checkCountry(body, caller);
  if (noExit !== null) return noExit;
  return {
    proxyCountryCode: body.proxyCountryCode === undefined ? defaultProxyCountry : body.proxyCountryCode,
    customProxy,
    profileId: body.profileId ?? null,
    showsPdf: body.pdfRendererEnabled ?? true,
    allowsResizing: body.allowResizing ?? false,
    timeoutMinutes,
    screen: screenOf(body.browserScreenWidth, body.browserScreenHeight),
    enableRecording: body.enableRecording ?? false,
    metadata: body.metadata ?? {},
  };
}

/** A period that is too long is refused with 403, whatever else may be wrong with it (companion 10 M1). */
function checkTimeout(found: number, rules: Caller['rules']): number | Problem {
  const limit = limitOf(rules, 'browserTimeoutMax');
  return found <= limit ? found : problem('timeout_too_long', { found: String(found), limit: String(limit) });
}
