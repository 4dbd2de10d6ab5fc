import { encodeCursor, decodeCursor } from '#accounts/workspaces/file-names.ts';
import type { CustomProxy } from '#browsers/index.ts';
import { isBrowserStatus } from '#contract/lifecycle.ts';
import { isProblem, type Problem, problem } from '#contract/problems.ts';
import { getLimit } from '#contract/rule-book.ts';
import { defaultProxyCountry, readScreen } from '#contract/screen.ts';
import type { components } from '#generated/v4.ts';
import type { NewBrowser } from '#sessions/standalone/index.ts';
import type { BrowserPage, BrowserRow, Label } from '#store/queries/browsers.ts';
import type { DownloadRow, DownloadsWanted } from '#store/queries/downloads.ts';
import type { SessionRow } from '#store/tables/sessions.ts';
import type { RequestContext } from '../common/request-context.ts';
import { checkCountry } from '../common/check-settings.ts';
import { readCustomProxy } from '../common/custom-proxy.ts';
import { tooMany, tooManyStarting } from '../common/refusals.ts';
import { checkProfile, useProfile } from '../common/sessions.ts';
import type { Operation, ParsedRequest } from '../operation.ts';
import { readBody } from './body.ts';
import {
  type BrowserWithRecordings,
  renderBrowser,
  renderBrowserDetail,
  hasBrowser,
  renderBrowserWithRecording,
  renderSessionBrowser,
  sessionBrowserStatus,
  withRecordings,
} from './render.ts';

type CreateBrowser = components['schemas']['CreateBrowser'];

/**
 * Creates a standalone browser: POST /browsers (contract section 4; companion 4.5 and 7.1). Responds when clients can
 * connect to the browser.
 */
export const createBrowser: Operation<RequestContext, Creation, BrowserRow> = {
  async decide(request, context) {
    const body = readBody(request, 'CreateBrowser');
    const wanted = newBrowser(body, context);
    if (isProblem(wanted)) return wanted;
    return (await checkProfile(body.profileId, context)) ?? { wanted, solvesCaptchas: body.solveCaptchas ?? true };
  },
  async apply({ wanted, solvesCaptchas }, context) {
    const created = await context.browsers.create(context.scope.projectId, wanted);
    if (created.kind === 'tooMany') return tooMany(created);
    if (created.kind === 'busy') return tooManyStarting(created);
    if (created.kind === 'profileInUse') return problem('profile_in_use', { holder: created.holder });
    if (created.kind === 'notStarted') return problem('browser_not_started', {});
    await useProfile(wanted.profileId, context);
    const { browser } = created;
    if (solvesCaptchas)
      context.captchaSolver?.announce({ browserId: browser.id, cdpUrl: context.addresses.cdp(browser) });
    return browser;
  },
  render: (browser, context) => ({
    status: 201,
    // The URL is present even when the browser was stopped meanwhile, so that the response always has one.
    body: { ...renderBrowser(browser, context), cdpUrl: context.addresses.cdp(browser) },
  }),
};

interface Creation {
  readonly wanted: NewBrowser;
  /** Whether the operator's CAPTCHA solver, if any, is notified of the browser. */
  readonly solvesCaptchas: boolean;
}

function newBrowser(body: CreateBrowser, context: RequestContext): NewBrowser | Problem {
  const { rules } = context;
  const timeoutMinutes = checkTimeout(body.timeout ?? getLimit(rules, 'browserTimeoutDefault'), rules);
  if (isProblem(timeoutMinutes)) return timeoutMinutes;
  const customProxy = readCustomProxy(body.customProxy, ['customProxy']);
  if (isProblem(customProxy)) return customProxy;
  const noExit = checkCountry(body, context);
  if (noExit !== null) return noExit;
  return {
    proxyCountryCode: body.proxyCountryCode === undefined ? defaultProxyCountry : body.proxyCountryCode,
    customProxy,
    profileId: body.profileId ?? null,
    keyId: context.keyId,
    showsPdf: body.pdfRendererEnabled ?? true,
    allowsResizing: body.allowResizing ?? false,
    timeoutMinutes,
    screen: readScreen(body.browserScreenWidth, body.browserScreenHeight),
    enableRecording: body.enableRecording ?? false,
    metadata: body.metadata ?? {},
  };
}

/**
 * Returns the timeout in minutes, or the refusal of a timeout that is too long: 403, before other validation (companion
 * 10 M1).
 */
function checkTimeout(found: number, rules: RequestContext['rules']): number | Problem {
  const limit = getLimit(rules, 'browserTimeoutMax');
  return found <= limit ? found : problem('timeout_too_long', { found: String(found), limit: String(limit) });
}

interface Found extends BrowserPage {
  readonly rows: readonly (BrowserRow | SessionRow)[];
  readonly total: number;
}

interface Wanted extends BrowserPage {
  /** Id of the agent session whose browser is listed; null to list standalone browsers. */
  readonly agentSessionId: string | null;
}

/**
 * Lists the standalone browsers of the project, newest first; with `agentSessionId` the browser of that agent session:
 * GET /browsers (companion 7.1).
 */
export const listBrowsers: Operation<RequestContext, Wanted, Found> = {
  decide({ query }) {
    const { filterBy, metadata, agentSessionId } = query;
    return {
      pageNumber: Number(query['pageNumber']),
      pageSize: Number(query['pageSize']),
      status: isBrowserStatus(filterBy) ? filterBy : null,
      labels: Array.isArray(metadata) ? metadata.map((label) => parseLabel(String(label))) : [],
      agentSessionId: typeof agentSessionId === 'string' ? agentSessionId : null,
    };
  },
  async apply({ agentSessionId, ...page }, { browsers, engine, scope }) {
    if (agentSessionId === null) return { ...page, ...(await browsers.list(scope.projectId, page)) };
    const session = await engine.find(scope, agentSessionId);
    const found = session === null || !isListed(session, page) ? [] : [session];
    return { ...page, rows: page.pageNumber === 1 ? found : [], total: found.length };
  },
  render: ({ rows, total, pageNumber, pageSize }, context) => ({
    status: 200,
    body: { items: rows.map((row) => renderItem(row, context)), totalItems: total, pageNumber, pageSize },
  }),
};

/**
 * Returns whether an agent session has or had a browser that passes the filters of a list. Returns false if the list
 * filters by label, because browsers of agent sessions have no labels.
 */
function isListed(session: SessionRow, { status, labels }: BrowserPage): boolean {
  if (!hasBrowser(session) || labels.length > 0) return false;
  return status === null || status === sessionBrowserStatus(session);
}

function renderItem(row: BrowserRow | SessionRow, context: RequestContext): components['schemas']['Browser'] {
  return 'generation' in row ? renderSessionBrowser(row, context) : renderBrowser(row, context);
}

/** Parses a label filter: `key`, or `key=value`, split at the first equals sign. */
function parseLabel(text: string): Label {
  const mark = text.indexOf('=');
  return mark === -1 ? { key: text, value: null } : { key: text.slice(0, mark), value: text.slice(mark + 1) };
}

/** Returns a standalone browser with its recordings: GET /browsers/{id} (companion 7.1). */
export const getBrowser: Operation<RequestContext, BrowserRow, BrowserWithRecordings> = {
  decide: findBrowserOr404,
  apply: withRecordings,
  render: (found, context) => ({ status: 200, body: renderBrowserWithRecording(found, context) }),
};

/**
 * Stops a standalone browser: PATCH /browsers/{id} (contract section 4). `stop` is the only action. Clients have no
 * other way to end a standalone browser.
 */
export const stopBrowser: Operation<RequestContext, BrowserRow, BrowserWithRecordings> = {
  decide: findBrowserOr404,
  apply: async (browser, context) => withRecordings(await context.browsers.stop(browser), context),
  render: (found, context) => ({ status: 200, body: renderBrowserDetail(found, context) }),
};

/** Returns the browser in the path, or a 404 problem. Browsers of other projects are treated as absent. */
async function findBrowserOr404(
  request: ParsedRequest,
  { browsers, scope }: RequestContext,
): Promise<BrowserRow | Problem> {
  const found = await browsers.find(scope.projectId, request.path['id'] ?? '');
  return found ?? problem('session_not_found', {});
}

type Given = components['schemas']['RunBrowserSettings'] | null | undefined;

/** Profile and proxy of a run's browser settings. */
export interface BrowserChoice {
  /** Profile id; null without one. */
  readonly profileId: string | null;
  /** Custom proxy for this run only, which is never stored; null without a custom proxy. */
  readonly runProxy: CustomProxy | null;
}

/**
 * Reads the profile and custom proxy of a run's browser settings. Returns a problem if they cannot be used (companion
 * 7.2.1).
 */
export async function readBrowserChoice(given: Given, context: RequestContext): Promise<BrowserChoice | Problem> {
  const { profileId = null, customProxy = null } = given ?? {};
  const runProxy = readCustomProxy(customProxy, ['browserSettings', 'customProxy']);
  if (isProblem(runProxy)) return runProxy;
  return (await checkProfile(profileId, context)) ?? { profileId, runProxy };
}

/**
 * Returns the refusal of a profile that differs from the profile of the session; null for the same profile, and if the
 * request names no profile.
 */
export function checkSameProfile({ profileId }: BrowserChoice, session: SessionRow): Problem | null {
  return profileId === null || profileId.toLowerCase() === session.profileId ? null : problem('profile_differs', {});
}

interface ListBrowserDownloadsWanted extends DownloadsWanted {
  readonly browserId: string;
  readonly includeUrls: boolean;
}

interface Listed {
  readonly rows: readonly DownloadRow[];
  readonly hasMore: boolean;
  readonly includeUrls: boolean;
}

/** Lists the downloads of an active or stopped browser: GET /browsers/{id}/downloads (companion 4.8 and 7.1). */
export const listBrowserDownloads: Operation<RequestContext, ListBrowserDownloadsWanted, Listed> = {
  async decide(request, context) {
    const browser = await findBrowserOr404(request, context);
    if (isProblem(browser)) return browser;
    const { cursor, limit, includeUrls } = request.query;
    const behind = typeof cursor === 'string' ? decodeCursor(cursor) : null;
    if (typeof cursor === 'string' && behind === null) return problem('cursor_malformed', {});
    return { browserId: browser.id, behind, limit: Number(limit), includeUrls: includeUrls === true };
  },
  apply: async ({ browserId, includeUrls, ...wanted }, { browsers }) => ({
    ...(await browsers.downloads(browserId, wanted)),
    includeUrls,
  }),
  render({ rows, hasMore, includeUrls }, { addresses }) {
    const last = rows.at(-1);
    return {
      status: 200,
      body: {
        files: rows.map((row) => renderDownload(row, includeUrls ? addresses.download(row.id) : null)),
        nextCursor: hasMore && last !== undefined ? encodeCursor(last.path) : null,
        hasMore,
      },
    };
  },
};

function renderDownload(
  { path, size, finishedAt }: DownloadRow,
  url: string | null,
): components['schemas']['BrowserDownload'] {
  return { path, size, lastModified: new Date(finishedAt).toISOString(), url };
}
