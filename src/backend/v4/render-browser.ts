import type { components } from '#generated/v4.ts';
import { bytesToMegabytes, microsToDecimal } from '#domain/money.ts';
import type { Caller } from '../shared/caller.ts';
import type { BrowserRow } from '../storage/browsers.ts';

/** The V4 record of a standalone browser (contract section 2; companion 4.6 and 4.7). */
export function renderBrowser(browser: BrowserRow, caller: Caller): components['schemas']['Browser'] {
  const isActive = browser.status === 'active';
  return {
    id: browser.id,
    status: browser.status,
    liveUrl: isActive ? caller.addresses.live(browser.live_token) : null,
    cdpUrl: isActive ? caller.addresses.cdp(browser.cdp_token) : null,
    startedAt: shownTime(browser.started_at),
    finishedAt: browser.finished_at === null ? null : shownTime(browser.finished_at),
    agentSessionId: null,
    recordingUrl: null,
    metadata: JSON.parse(browser.metadata),
    ...consumed(browser, caller),
  };
}

/** The same record when it is asked for by itself; nothing is recorded yet (companion 4.7). */
export function renderBrowserDetail(browser: BrowserRow, caller: Caller): components['schemas']['BrowserDetail'] {
  return { ...renderBrowser(browser, caller), recordingAvailable: false };
}

type Consumed = 'timeoutAt' | 'proxyUsedMb' | 'proxyCost' | 'browserCost';

function consumed(browser: BrowserRow, { browsers }: Caller): Pick<components['schemas']['Browser'], Consumed> {
  const bill = browsers.bill(browser);
  return {
    timeoutAt: shownTime(bill.timeoutAtMs),
    proxyUsedMb: bytesToMegabytes(bill.proxyBytes),
    proxyCost: microsToDecimal(bill.proxyMicros),
    browserCost: microsToDecimal(bill.browserMicros),
  };
}

function shownTime(timeMs: number): string {
  return new Date(timeMs).toISOString();
}
