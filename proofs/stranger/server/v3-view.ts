/** Renders V3 sessions in responses. */
import { createHmac } from 'node:crypto';
import type { FaultId } from '../faults/index.ts';
import { bill, nextSerial, now, type Json, type Session, type World } from './world.ts';

/** Kind of response in which a session is shown. Responses to stop requests use `get`. */
export type Place = 'create' | 'get' | 'list';

interface Shown {
  readonly view: Json;
  readonly session: Session;
  readonly world: World;
  readonly place: Place;
}

/** Faults in the record of a session in a response. */
const viewFaults: Partial<Record<FaultId, (shown: Shown) => void>> = {
  'view3-id-changes': ({ view, world }) => void (view['id'] = world.dialect.id()),
  'view3-id-not-uuid': ({ view }) => void (view['id'] = `ses_${String(view['id']).slice(0, 8)}`),
  'view3-created-changes': ({ view, world }) => void (view['createdAt'] = world.dialect.time(now(world))),
  'view3-created-moves-at-end': ({ view, session }) => {
    if (session.status === 'stopped' || session.status === 'idle') view['createdAt'] = view['updatedAt'];
  },
  'view3-created-date-only': ({ view }) => void (view['createdAt'] = String(view['createdAt']).slice(0, 10)),
  'view3-created-number': ({ view, session }) => void (view['createdAt'] = session.createdAt),
  'view3-updated-missing': ({ view }) => void delete view['updatedAt'],
  'view3-updated-no-offset': ({ view }) => void (view['updatedAt'] = String(view['updatedAt']).slice(0, 19)),
  'view3-updated-early': ({ view, session, world }) => {
    view['updatedAt'] = world.dialect.time(session.createdAt - 60_000);
  },
  'view3-model-missing': ({ view }) => void delete view['model'],
  'view3-model-unlisted': ({ view }) => void (view['model'] = `${String(view['model'])}-latest`),
  'view3-model-null': ({ view }) => void (view['model'] = null),
  'view3-status-word': ({ view, session }) => {
    if (session.status === 'running') view['status'] = 'active';
  },
  'view3-status-upper': ({ view }) => void (view['status'] = String(view['status']).toUpperCase()),
  'view3-timed-out-word': ({ view, session }) => {
    if (session.status === 'timed_out') view['status'] = 'timeout';
  },
  'view3-stopped-word': ({ view, session }) => {
    if (session.status === 'stopped') view['status'] = 'finished';
  },
  'view3-level-hidden': ({ view }) => void (view['thinkingLevel'] = null),
  'view3-level-always-high': ({ view }) => void (view['thinkingLevel'] = 'high'),
  'view3-level-none': ({ view, session }) => {
    if (session.level === null) view['thinkingLevel'] = 'none';
  },
  'view3-level-upper': ({ view, session }) => {
    if (session.level !== null) view['thinkingLevel'] = session.level.toUpperCase();
  },
  'view3-schema-hidden': ({ view }) => void (view['outputSchema'] = null),
  'view3-schema-as-text': ({ view, session }) => {
    if (session.outputSchema) view['outputSchema'] = JSON.stringify(session.outputSchema);
  },
  'view3-schema-reordered-lossy': ({ view, session }) => {
    if (session.outputSchema) view['outputSchema'] = { type: 'object' };
  },
  'view3-total-off-by-cent': ({ view, session, world }) => {
    if (bill(session.meters).total > 0)
      view['totalCostUsd'] = world.dialect.decimal(bill(session.meters).total + 10_000);
  },
  'view3-total-without-proxy': ({ view, session, world }) => {
    const { llm, browser } = bill(session.meters);
    view['totalCostUsd'] = world.dialect.decimal(llm + browser);
  },
  'view3-total-without-browser': ({ view, session, world }) => {
    const { llm, proxy } = bill(session.meters);
    view['totalCostUsd'] = world.dialect.decimal(llm + proxy);
  },
  'view3-cost-number': ({ view, session }) => void (view['totalCostUsd'] = bill(session.meters).total / 1e6),
  'view3-cost-dollar-sign': ({ view, session }) => void (view['llmCostUsd'] = `$${bill(session.meters).llm / 1e6}`),
  'view3-cost-exponent': ({ view, session }) => {
    view['proxyCostUsd'] = (bill(session.meters).proxy / 1e6).toExponential();
  },
  'view3-cost-comma': ({ view, session }) => {
    view['browserCostUsd'] = (bill(session.meters).browser / 1e6).toFixed(6).replace('.', ',');
  },
  'view3-proxy-number': ({ view, session }) => void (view['proxyUsedMb'] = session.meters.proxyKilobytes / 1000),
  'view3-proxy-unit': ({ view, session }) => void (view['proxyUsedMb'] = `${session.meters.proxyKilobytes} KB`),
  'view3-proxy-empty-text': ({ view }) => void (view['proxyUsedMb'] = ''),
  'view3-tokens-negative': ({ view }) => void (view['totalInputTokens'] = -1),
  'view3-tokens-fraction': ({ view, session }) => void (view['totalOutputTokens'] = session.meters.outputTokens + 0.5),
  'view3-tokens-text': ({ view, session }) => void (view['totalInputTokens'] = String(session.meters.inputTokens)),
  'view3-tokens-swing': ({ view, session }) => {
    session.looks += 1;
    if (session.meters.inputTokens > 0)
      view['totalInputTokens'] = session.meters.inputTokens + (session.looks % 2) * 500;
  },
  'view3-steps-text': ({ view, session }) => void (view['stepCount'] = String(session.stepCount)),
  'view3-steps-null': ({ view }) => void (view['stepCount'] = null),
  'view3-screenshot-same': ({ view, session, world }) => {
    if (view['screenshotUrl']) view['screenshotUrl'] = `${world.url}/media/${session.id}/shot.png`;
  },
  'view3-screenshot-same-each-second': ({ view, session, world }) => {
    if (view['screenshotUrl'])
      view['screenshotUrl'] = `${world.url}/media/${session.id}/shot.png?t=${Math.floor(Date.now() / 1000)}`;
  },
  'view3-screenshot-denied': ({ view, session, world }) => {
    if (view['screenshotUrl'])
      view['screenshotUrl'] = `${world.url}/media/${session.id}/denied.png?n=${nextSerial(world)}`;
  },
  'view3-screenshot-missing': ({ view, session, world }) => {
    if (view['screenshotUrl'])
      view['screenshotUrl'] = `${world.url}/lost/${session.id}/shot.png?n=${nextSerial(world)}`;
  },
  'view3-screenshot-wants-key': ({ view, session, world }) => {
    if (view['screenshotUrl'])
      view['screenshotUrl'] = `${world.url}/media/${session.id}/keyed.png?n=${nextSerial(world)}`;
  },
  'view3-screenshot-relative': ({ view, session, world }) => {
    if (view['screenshotUrl']) view['screenshotUrl'] = `/media/${session.id}/shot.png?n=${nextSerial(world)}`;
  },
  'view3-live-null': ({ view }) => void (view['liveUrl'] = null),
  'view3-live-late': ({ view, place }) => {
    if (place === 'create') view['liveUrl'] = null;
  },
  'view3-live-missing-page': ({ view, session, world }) => void (view['liveUrl'] = `${world.url}/lost/${session.id}`),
  'view3-live-no-frames': ({ view, session, world }) =>
    void (view['liveUrl'] = `${world.url}/live/${session.id}?frames=no`),
  'view3-live-wants-key': ({ view, session, world }) =>
    void (view['liveUrl'] = `${world.url}/media/${session.id}/keyed.png`),
  'view3-recording-unasked': ({ view, session, world }) => {
    if (isEnded(session)) view['recordingUrls'] = [`${world.url}/media/${session.id}/recording.webm`];
  },
  'view3-recording-never': ({ view }) => void (view['recordingUrls'] = []),
  'view3-recording-early': ({ view, session, world }) => {
    if (session.recording) view['recordingUrls'] = [`${world.url}/media/${session.id}/recording.webm`];
  },
  'view3-recording-text': ({ view, session }) => {
    if (session.recordingUrls.length > 0) view['recordingUrls'] = session.recordingUrls[0];
  },
  'view3-recording-missing-file': ({ view, session, world }) => {
    if (session.recordingUrls.length > 0) view['recordingUrls'] = [`${world.url}/lost/${session.id}/recording.webm`];
  },
  'view3-recording-null': ({ view }) => void (view['recordingUrls'] = null),
  'view3-inbox-unasked': ({ view }) => void (view['inboxEmail'] = 'unasked@inbox.example'),
  'view3-inbox-never': ({ view }) => void (view['inboxEmail'] = null),
  'view3-inbox-shared': ({ view }) => {
    if (view['inboxEmail']) view['inboxEmail'] = 'shared@inbox.example';
  },
  'view3-inbox-not-address': ({ view }) => {
    if (view['inboxEmail']) view['inboxEmail'] = 'box 17';
  },
  'view3-ceiling-hidden': ({ view }) => void (view['maxCostUsd'] = null),
  'view3-ceiling-other': ({ view, session, world }) => {
    if (session.ceiling !== null) view['maxCostUsd'] = world.dialect.decimal(session.ceiling * 2);
  },
  'view3-ceiling-number': ({ view, session }) => {
    if (session.ceiling !== null) view['maxCostUsd'] = session.ceiling / 1e6;
  },
  'view3-country-hidden': ({ view }) => void (view['proxyCountryCode'] = null),
  'view3-country-upper': ({ view, session }) => {
    if (session.country !== null) view['proxyCountryCode'] = session.country.toUpperCase();
  },
  'view3-profile-hidden': ({ view }) => void (view['profileId'] = null),
  'view3-integrations-text': ({ view }) => void (view['integrationsUsed'] = ''),
  'view3-integrations-null': ({ view }) => void (view['integrationsUsed'] = null),
  'view3-title-never': ({ view }) => void (view['title'] = null),
  'view3-title-number': ({ view }) => void (view['title'] = 42),
  'view3-success-text': ({ view, session }) => {
    if (session.successful !== null) view['isTaskSuccessful'] = String(session.successful);
  },
  'view3-success-without-task': ({ view, session }) => {
    if (session.tasks === 0) view['isTaskSuccessful'] = false;
  },
  'view3-output-while-running': ({ view, session }) => {
    if (session.status === 'running') view['output'] = 'partial';
  },
  'view3-summary-list': ({ view, session }) => {
    if (session.lastStepSummary !== null) view['lastStepSummary'] = [session.lastStepSummary];
  },
  'view3-output-twice-encoded': ({ view, session }) => {
    if (typeof session.output === 'object' && session.output !== null) view['output'] = JSON.stringify(session.output);
  },
};

/** Returns the record of a session for a response, changed by active faults. */
export function sessionView(world: World, session: Session, place: Place): Json {
  const view = place === 'list' ? inList(plainView(world, session)) : plainView(world, session);
  world.faults.distort(viewFaults, { view, session, world, place });
  return world.dialect.leavesOutDefaults ? withoutDefaults(view) : view;
}

function plainView(world: World, session: Session): Json {
  const { dialect } = world;
  const costs = bill(session.meters);
  return {
    id: session.id,
    status: session.status,
    model: dialect.echoesAlias ? session.askedModel : session.model,
    thinkingLevel: session.level,
    title: session.title,
    output: session.output,
    outputSchema: session.outputSchema,
    stepCount: session.stepCount,
    lastStepSummary: session.lastStepSummary,
    isTaskSuccessful: session.successful,
    liveUrl: `${world.url}/live/${session.id}`,
    recordingUrls: session.recordingUrls,
    profileId: session.profileId,
    workspaceId: session.workspaceId,
    proxyCountryCode: session.country,
    maxCostUsd: session.ceiling === null ? null : dialect.decimal(session.ceiling),
    totalInputTokens: session.meters.inputTokens,
    totalOutputTokens: session.meters.outputTokens,
    proxyUsedMb: dialect.decimal(session.meters.proxyKilobytes * 1000),
    llmCostUsd: dialect.decimal(costs.llm),
    proxyCostUsd: dialect.decimal(costs.proxy),
    browserCostUsd: dialect.decimal(costs.browser),
    totalCostUsd: dialect.decimal(costs.total),
    screenshotUrl: session.stepCount === 0 ? null : screenshotUrl(world, session.id),
    inboxEmail: session.inbox,
    integrationsUsed: [],
    createdAt: dialect.time(session.createdAt),
    updatedAt: dialect.time(session.updatedAt),
    ...(dialect.extraMembers
      ? { object: 'session', region: 'north', usage: { seconds: session.meters.browserMs / 1000 } }
      : {}),
  };
}

function inList(view: Json): Json {
  return { ...view, recordingUrls: [], screenshotUrl: null };
}

/** Returns a signed screenshot URL, which differs in each call. */
function screenshotUrl(world: World, id: string): string {
  const until = Math.floor(now(world) / 1000) + 300;
  const serial = nextSerial(world);
  const signature = createHmac('sha256', 'pictures').update(`${id}.${until}.${serial}`).digest('hex').slice(0, 20);
  return `${world.url}/media/${id}/shot.png?until=${until}&n=${serial}&signature=${signature}`;
}

const defaults: Readonly<Record<string, unknown>> = { stepCount: 0, totalInputTokens: 0, totalOutputTokens: 0 };

function withoutDefaults(view: Json): Json {
  return Object.fromEntries(
    Object.entries(view).filter(([name, value]) => {
      const isEmpty = value === null || (Array.isArray(value) && value.length === 0);
      return !isEmpty && !(name in defaults && defaults[name] === value);
    }),
  );
}

function isEnded(session: Session): boolean {
  return session.status === 'stopped' || session.status === 'timed_out' || session.status === 'error';
}
