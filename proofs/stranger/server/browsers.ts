/** Standalone browsers: launch, fetch, list, stop. */
import type { FaultId } from '../faults/index.ts';
import { browserView } from './browser-view.ts';
import { type Answer, type Call, flag, objectIn, refuse, text } from './call.ts';
import {
  type Field,
  memberProblems,
  nestedProblems,
  proxy,
  readQuery,
  requireIds,
  requireObject,
  settle,
  unknownMembers,
} from './checks.ts';
import { pageAnswer } from './pages.ts';
import { type Browser, type Json, later, now, type World } from './world.ts';

const fields: readonly Field[] = [
  { name: 'profileId', kind: 'uuid', nullable: true },
  { name: 'proxyCountryCode', kind: 'country', nullable: true },
  { name: 'timeout', kind: 'integer', min: 1 },
  { name: 'browserScreenWidth', kind: 'integer', nullable: true, min: 320, max: 6144 },
  { name: 'browserScreenHeight', kind: 'integer', nullable: true, min: 320, max: 3456 },
  { name: 'allowResizing', kind: 'boolean' },
  { name: 'customProxy', kind: 'object', nullable: true },
  { name: 'enableRecording', kind: 'boolean' },
  { name: 'metadata', kind: 'labels', nullable: true },
  { name: 'pdfRendererEnabled', kind: 'boolean' },
  { name: 'solveCaptchas', kind: 'boolean' },
];

const centsPerMinute = 333;

/** Faults that refuse a valid creation. */
const refuses: Partial<Record<FaultId, (body: Json) => boolean>> = {
  'br-null-refused': (body) => body['proxyCountryCode'] === null,
  'br-country-required': (body) => body['proxyCountryCode'] === undefined,
  'br-us-refused': (body) => body['proxyCountryCode'] === 'us',
  'br-countries-refused': (body) => typeof body['proxyCountryCode'] === 'string' && body['proxyCountryCode'] !== 'us',
};

/** Ends every active browser of the project except the created one. */
function endOthers(call: Call, created: Browser): void {
  const others = [...call.project.browsers.values()].filter((one) => one !== created && one.status === 'active');
  for (const other of others) Object.assign(other, { status: 'stopped', finishedAt: now(call.world) });
}

/** Launches a browser. */
export function postBrowser(call: Call): Answer {
  const body = requireObject(call, true);
  const { world, project } = call;
  try {
    const problems = [
      ...memberProblems(fields, body, ['body']),
      ...nestedProblems(proxy, body, ['body', 'customProxy']),
    ];
    if (world.dialect.strictBodies) problems.push(...unknownMembers(fields, body, ['body']));
    if (world.faults.some(refuses, body)) {
      problems.push({ loc: ['body', 'proxyCountryCode'], msg: 'Not available', type: 'value_error' });
    }
    settle(call, body, problems);
  } catch (error) {
    if (world.faults.has('br-refusal-launches')) launch(call, {});
    throw error;
  }
  const minutes = Number(body['timeout'] ?? 60);
  if (minutes > 240) refuse(world, 403, 'The time-out must not exceed 4 hours (240 minutes)');
  const profile = text(body, 'profileId');
  if (profile !== null && !project.profiles.has(profile)) refuse(world, 404, 'Profile not found');
  const browser = launch(call, body);
  if (world.faults.has('br-creation-ends-others')) endOthers(call, browser);
  if (world.faults.has('br-ends-after-a-second')) {
    later(world, 1000, () => Object.assign(browser, { status: 'stopped', finishedAt: now(world) }));
  }
  return { status: world.faults.has('br-created-empty') ? 204 : 201, body: browserView(call, browser, 'item') };
}

function launch(call: Call, body: Json): Browser {
  const { world } = call;
  const minutes = Number(body['timeout'] ?? (world.faults.has('br-default-timeout') ? 15 : 60));
  const asked = body['proxyCountryCode'];
  const isNull = asked === null;
  const browser: Browser = {
    id: world.faults.has('br-id-same') ? '11111111-1111-4111-a111-111111111111' : world.dialect.id(),
    startedAt: now(world),
    finishedAt: null,
    status: 'active',
    minutes,
    country: isNull ? null : (text(body, 'proxyCountryCode') ?? 'us'),
    profileId: text(body, 'profileId'),
    recording: flag(body, 'enableRecording', false),
    metadata: objectIn(body, 'metadata') ?? {},
    cost: minutes * centsPerMinute,
    proxyKilobytes: isNull && !world.faults.has('br-null-is-metered') ? 0 : 40,
  };
  call.project.browsers.set(browser.id, browser);
  return browser;
}

function find(call: Call): Browser {
  requireIds(call);
  const { faults } = call.world;
  const id = (call.params['session_id'] ?? '').toLowerCase();
  const found = call.project.browsers.get(id);
  if (found) {
    expire(call.world, found);
    const other = [...call.project.browsers.values()].find((one) => one !== found);
    return call.operation.endsWith('getBrowser') && other && faults.has('br-get-other') ? other : found;
  }
  for (const project of call.world.projects) {
    const foreign = project.browsers.get(id);
    if (foreign && faults.has('br-get-foreign')) return foreign;
  }
  return refuse(call.world, 404, 'Session not found');
}

function expire(world: World, browser: Browser): void {
  const end = browser.startedAt + browser.minutes * 60_000;
  if (browser.status !== 'active' || now(world) < end || world.faults.has('br-never-expires')) return;
  browser.status = 'stopped';
  browser.finishedAt = end;
}

/** Shows one browser. */
export function getBrowser(call: Call): Answer {
  const browser = find(call);
  if (browser.status === 'active' && call.world.faults.has('br-look-ends')) stop(call, browser);
  if (browser.status === 'stopped' && call.world.faults.has('br-forgotten-after-stop'))
    refuse(call.world, 404, 'Session not found');
  return { status: 200, body: browserView(call, browser, 'detail') };
}

/** Stops a browser and refunds the unused time. */
export function patchBrowser(call: Call): Answer {
  requireIds(call);
  const body = requireObject(call);
  settle(
    call,
    body,
    memberProblems([{ name: 'action', kind: 'text', required: true, oneOf: ['stop'] }], body, ['body']),
  );
  const { world } = call;
  if (world.faults.has('br-stop-not-found')) refuse(world, 404, 'Session not found');
  const browser = find(call);
  if (browser.status === 'active' && world.faults.has('br-stop-conflict')) refuse(world, 409, 'Browser is in use');
  if (browser.status === 'active' && !world.faults.has('br-stop-does-nothing')) stop(call, browser);
  else if (browser.status === 'stopped' && world.dialect.secondStop === 409)
    refuse(world, 409, 'Browser has been stopped');
  if (world.faults.has('br-stop-answers-error')) return { status: 500, body: { detail: 'Internal Server Error' } };
  if (world.faults.has('br-stop-answers-empty')) return { status: 200, body: {} };
  return { status: 200, body: browserView(call, browser, 'stop') };
}

/** Functions that close all connections to a browser, by browser id. The CDP server sets them. */
export const closers = new Map<string, () => void>();

/** Number of connected clients by browser id. The CDP server updates it. */
export const clients = new Map<string, number>();

function stop(call: Call, browser: Browser): void {
  const { world } = call;
  const { faults } = world;
  if ((clients.get(browser.id) ?? 0) > 0 && faults.has('ef-br-stop-while-connected-ignored')) return;
  const isFirst = [...call.project.browsers.values()].every((one) => one.status === 'active');
  browser.status = 'stopped';
  browser.finishedAt = now(world);
  refund(world, browser, isFirst);
  if (!faults.has('ef-br-stop-keeps-connections')) closers.get(browser.id)?.();
  if (faults.has('br-stop-stops-all')) endOthers(call, browser);
  if (faults.has('br-restarts'))
    later(world, 150, () => Object.assign(browser, { status: 'active', finishedAt: null }));
  const other = [...call.project.browsers.values()].find((one) => one !== browser && one.status === 'active');
  if (other && faults.has('br-stop-stops-other')) {
    other.status = 'stopped';
    other.finishedAt = now(world);
  }
}

function refund({ faults }: World, browser: Browser, isFirst: boolean): void {
  const used = Math.max(1, Math.ceil((Number(browser.finishedAt) - browser.startedAt) / 60_000));
  if (!faults.has('br-no-refund') && (isFirst || !faults.has('ef-br-refund-first-only')))
    browser.cost = (faults.has('br-refund-half') ? browser.minutes / 2 : used) * centsPerMinute;
  if (faults.has('br-refund-all')) browser.cost = 0;
  if (faults.has('br-stop-charges-more')) browser.cost = (browser.minutes + 60) * centsPerMinute;
}

const page: readonly Field[] = [
  { name: 'pageSize', kind: 'integer', min: 1, max: 100 },
  { name: 'pageNumber', kind: 'integer', min: 1 },
  { name: 'filterBy', kind: 'text', oneOf: ['active', 'stopped'] },
  { name: 'agentSessionId', kind: 'uuid' },
];

/** Lists browsers, newest first. */
export function listBrowsers(call: Call): Answer {
  const query = readQuery(call, page);
  const { faults } = call.world;
  const isFiltered = query['filterBy'] !== undefined && !faults.has('br-list-filter-ignored');
  const labels = call.query.getAll('metadata');
  const all = [...call.project.browsers.values()].toReversed().filter((browser) => {
    expire(call.world, browser);
    if (isFiltered && browser.status !== query['filterBy']) return false;
    if (browser.status === 'active' && faults.has('br-list-misses-active')) return false;
    if (query['agentSessionId'] !== undefined) return false;
    return labels.every((label) => hasLabel(browser, label)) || faults.has('br-list-labels-ignored');
  });
  return pageAnswer(call, { all, query, show: (browser) => browserView(call, browser, 'item') });
}

function hasLabel(browser: Browser, label: string): boolean {
  const [key = '', ...rest] = label.split('=');
  return key in browser.metadata && (rest.length === 0 || browser.metadata[key] === rest.join('='));
}

/** Lists the downloads of a browser. The list is always empty, because this server implements no downloads. */
export function listDownloads(call: Call): Answer {
  find(call);
  readQuery(call, [
    { name: 'limit', kind: 'integer', min: 1, max: 100 },
    { name: 'cursor', kind: 'text' },
    { name: 'includeUrls', kind: 'boolean' },
  ]);
  return { status: 200, body: { files: [], nextCursor: null, hasMore: false } };
}
