import { liveStates } from '#contract/lifecycle.ts';
import { browserStatus } from '#generated/states.ts';
import type { Screen } from '#contract/screen.ts';
import { type CustomProxy, HostBusy } from '#browsers/index.ts';
import { sealProxy } from '../run-settings.ts';
import type { BrowserInsert } from '#store/tables/browsers.ts';
import { flag } from '#store/tables/values.ts';
import { type BrowserRow, browserById, forgetBrowser, insertBrowser } from '#store/queries/browsers.ts';
import type { StandaloneDeps, RunningBrowsers } from './deps.ts';
import { endBrowser } from './stop-browser.ts';
import { giveToWorker, handleCommand } from './among-others.ts';

/** Settings of a new browser; every value has been validated. */
export interface NewBrowser {
  readonly proxyCountryCode: string | null;
  /** Takes the place of the managed proxy; null for none. */
  readonly customProxy: CustomProxy | null;
  readonly profileId: string | null;
  /** Whether its pages show PDF files, where the Chromium can. */
  readonly showsPdf: boolean;
  /** Whether its clients may resize its window. */
  readonly allowsResizing: boolean;
  /** Length of one prepaid period, 1 to 240 included. */
  readonly timeoutMinutes: number;
  readonly screen: Screen | null;
  readonly enableRecording: boolean;
  /** Id of the key that opens it, for its monthly limit. @defaultValue none */
  readonly keyId?: string;
  /** Labels of the caller, at most 10. */
  readonly metadata: Readonly<Record<string, string>>;
}

/** Result of creating a browser: the running browser, or why it was not created. */
export type CreatedBrowser =
  | { readonly kind: 'started'; readonly browser: BrowserRow }
  | { readonly kind: 'tooMany'; readonly active: number; readonly limit: number }
  | { readonly kind: 'profileInUse'; readonly holder: string }
  | { readonly kind: 'busy'; readonly waiting: number; readonly retryAfterMs: number }
  | { readonly kind: 'notStarted' };

interface CreateDeps extends StandaloneDeps {
  readonly running: RunningBrowsers;
}

/** Inserts the row durably before the start, so that every running browser can be found and stopped. */
export async function createBrowser(deps: CreateDeps, projectId: string, wanted: NewBrowser): Promise<CreatedBrowser> {
  const { db, rules, running, log, activeMax } = deps;
  const row = { ...browserRow(deps, projectId, wanted), ...(await deps.owners.next()) };
  const living = liveStates(rules.lifecycle);
  // A hint that lets an idle holder release the profile; the transaction decides.
  await deps.browserProfiles.otherHolder(row.id, row.profile_id);
  const inserted = await insertBrowser(db, { browser: row, living, activeMax: await activeMax.of(projectId) });
  if (!inserted.created)
    return 'profileHolder' in inserted
      ? { kind: 'profileInUse', holder: inserted.profileHolder }
      : { kind: 'tooMany', active: inserted.active, limit: inserted.limit };
  const notStarted = async (): Promise<CreatedBrowser> => {
    await endBrowser(deps, row.id, row.started_at);
    await deps.browserProfiles.release(row.id);
    return { kind: 'notStarted' };
  };
  try {
    const begun = await beginBrowser(deps, running, await browserById(db, row.id));
    const browser = await browserById(db, row.id);
    // One that has not begun has been stopped meanwhile, which is as the caller wanted; or the service is closing.
    return !begun && browser.status === browserStatus.active ? await notStarted() : { kind: 'started', browser };
  } catch (error) {
    if (error instanceof HostBusy) return notAdmitted(deps, row.id, error);
    log.error({ browser: row.id, err: error }, 'a standalone browser did not start');
    return notStarted();
  }
}

/** Removes the row of a browser that was not admitted; the client may retry. */
async function notAdmitted({ db, browserProfiles }: CreateDeps, id: string, busy: HostBusy): Promise<CreatedBrowser> {
  await browserProfiles.release(id);
  if (await forgetBrowser(db, id)) return { kind: 'busy', waiting: busy.waiting, retryAfterMs: busy.retryAfterMs };
  // Another client has stopped the browser, which is equivalent.
  return { kind: 'started', browser: await browserById(db, id) };
}

function browserRow(
  { newId, tokens, clock, vault }: StandaloneDeps,
  projectId: string,
  wanted: NewBrowser,
): BrowserInsert {
  const id = newId();
  return {
    id,
    project_id: projectId,
    key_id: wanted.keyId ?? null,
    status: browserStatus.active,
    ...tokens.make(id, ['cdp', 'live', 'view']),
    proxy_country_code: wanted.proxyCountryCode,
    custom_proxy: sealProxy(vault, id, wanted.customProxy),
    profile_id: wanted.profileId?.toLowerCase() ?? null,
    shows_pdf: flag(wanted.showsPdf),
    allows_resizing: flag(wanted.allowsResizing),
    timeout_minutes: wanted.timeoutMinutes,
    screen_width: wanted.screen?.width ?? null,
    screen_height: wanted.screen?.height ?? null,
    metadata: JSON.stringify(wanted.metadata),
    enable_recording: flag(wanted.enableRecording),
    proxy_bytes: 0,
    started_at: clock.now(),
    finished_at: null,
  };
}

/**
 * Asks the owner to start a browser. Resolves when the browser responds, with false when it was stopped meanwhile.
 * Rejects with HostBusy at the admission deadline, and with an Error when the start fails or no worker is available.
 * When the owner dies or releases the browser, another worker starts it.
 */
async function beginBrowser(
  deps: StandaloneDeps,
  running: RunningBrowsers,
  { id }: Pick<BrowserRow, 'id'>,
): Promise<boolean> {
  const command = { op: 'begin', browserId: id } as const;
  for (;;) {
    await giveToWorker(deps, await browserById(deps.db, id));
    const answer = await deps.owners.perform(command, () => handleCommand(deps, running, command));
    const { begun, isElsewhere, waiting, retryAfterMs } = answer;
    if (typeof waiting === 'number' && typeof retryAfterMs === 'number') throw new HostBusy(waiting, retryAfterMs);
    if (isElsewhere !== true) return begun === true;
  }
}
