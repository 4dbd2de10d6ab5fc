/** Renders standalone browsers in responses. */
import type { FaultId } from '../faults/index.ts';
import type { Call } from './call.ts';
import { type Browser, type Json, nextSerial, now, type World } from './world.ts';

interface Shown {
  readonly view: Json;
  readonly browser: Browser;
  readonly call: Call;
  readonly place: 'item' | 'detail' | 'stop';
}

const viewFaults: Partial<Record<FaultId, (shown: Shown) => void>> = {
  'br-id-missing': ({ view, place }) => {
    if (place === 'item') delete view['id'];
  },
  'br-id-changes': ({ view, call }) => void (view['id'] = call.world.dialect.id()),
  'br-id-number': ({ view }) => void (view['id'] = 7),
  'br-cdp-missing': ({ view }) => void delete view['cdpUrl'],
  'br-cdp-null': ({ view }) => void (view['cdpUrl'] = null),
  'br-cdp-shared': ({ view, browser, call }) => {
    const first = [...call.project.browsers.values()].find((one) => one.status === 'active');
    if (browser.status === 'active' && first) view['cdpUrl'] = cdpUrl(call.world, first.id);
  },
  'br-cdp-relative': ({ view, browser }) => {
    if (browser.status === 'active') view['cdpUrl'] = `/devtools/browser/${browser.id}`;
  },
  'br-id-empty': ({ view, place }) => {
    if (place === 'item') view['id'] = '';
  },
  'br-cdp-empty': ({ view, browser }) => {
    if (browser.status === 'active') view['cdpUrl'] = '';
  },
  'br-cdp-other-at-each-look': ({ view, browser, call, place }) => {
    if (browser.status === 'active' && place !== 'item') view['cdpUrl'] = cdpUrl(call.world, call.world.dialect.id());
  },
  'br-cdp-not-address': ({ view, browser }) => {
    if (browser.status === 'active') view['cdpUrl'] = 'not yet';
  },
  'br-cost-grows-after-stop': ({ view, browser, call }) => {
    if (browser.status === 'stopped')
      view['browserCost'] = call.world.dialect.decimal(browser.cost + nextSerial(call.world) * 100);
  },
  'br-finished-moves': ({ view, browser, call }) => {
    if (browser.status === 'stopped') view['finishedAt'] = call.world.dialect.time(now(call.world));
  },
  'br-finished-before-start': ({ view, browser, call }) => {
    if (browser.finishedAt !== null) view['finishedAt'] = call.world.dialect.time(browser.startedAt - 5000);
  },
  'br-timeout-moves': ({ view, call }) =>
    void (view['timeoutAt'] = call.world.dialect.time(now(call.world) + 3_600_000)),
  'br-proxy-number': ({ view, browser }) => void (view['proxyUsedMb'] = browser.proxyKilobytes / 1000),
  'br-agent-session-set': ({ view, call }) => void (view['agentSessionId'] = call.world.dialect.id()),
  'br-cdp-not-text': ({ view }) => void (view['cdpUrl'] = { url: view['cdpUrl'] }),
  'br-status-word': ({ view, browser }) => void (view['status'] = browser.status === 'stopped' ? 'closed' : 'open'),
  'br-status-stays-active': ({ view }) => void (view['status'] = 'active'),
  'br-finished-null': ({ view }) => void (view['finishedAt'] = null),
  'br-started-moves': ({ view, call }) => void (view['startedAt'] = call.world.dialect.time(now(call.world))),
  'br-timeout-early': ({ view, browser, call }) => {
    view['timeoutAt'] = call.world.dialect.time(browser.startedAt - 1000);
  },
  'br-timeout-missing': ({ view }) => void delete view['timeoutAt'],
  'br-cost-number': ({ view, browser }) => void (view['browserCost'] = browser.cost / 1e6),
  'br-cost-negative': ({ view }) => void (view['browserCost'] = '-0.01'),
  'br-metadata-lost': ({ view }) => void (view['metadata'] = {}),
  'br-live-null': ({ view }) => void (view['liveUrl'] = null),
  'br-cdp-after-stop': ({ view, browser, call }) => void (view['cdpUrl'] = cdpUrl(call.world, browser.id)),
};

/** Returns the record of a browser for a response, changed by active faults. */
export function browserView(call: Call, browser: Browser, place: Shown['place']): Json {
  const { world } = call;
  const { dialect } = world;
  const isActive = browser.status === 'active';
  const view: Json = {
    id: browser.id,
    status: browser.status,
    liveUrl: isActive ? `${world.url}/live/${browser.id}` : null,
    cdpUrl: isActive ? cdpUrl(world, browser.id) : null,
    timeoutAt: dialect.time(browser.startedAt + browser.minutes * 60_000),
    startedAt: dialect.time(browser.startedAt),
    finishedAt: browser.finishedAt === null ? null : dialect.time(browser.finishedAt),
    proxyUsedMb: dialect.decimal(browser.proxyKilobytes * 1000),
    proxyCost: dialect.decimal(browser.proxyKilobytes * 5),
    browserCost: dialect.decimal(browser.cost),
    agentSessionId: null,
    recordingUrl: recordingUrl(world, browser, place),
    metadata: browser.metadata,
    ...(dialect.extraMembers ? { object: 'browser', country: browser.country } : {}),
    ...(place === 'item' ? {} : { recordingAvailable: browser.recording }),
  };
  world.faults.distort(viewFaults, { view, browser, call, place });
  return view;
}

function recordingUrl(world: World, browser: Browser, place: Shown['place']): string | null {
  const isReady = browser.recording && browser.status === 'stopped' && place === 'detail';
  return isReady ? `${world.url}/media/${browser.id}/recording.webm` : null;
}

function cdpUrl(world: World, id: string): string {
  return `${world.url.replace(/^http/, 'ws')}/devtools/browser/${id}`;
}
