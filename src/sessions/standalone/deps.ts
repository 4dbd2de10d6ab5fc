import type { Logger } from 'pino';
import type { ActiveMax } from '#accounts/balance.ts';
import type { BrowserProfiles } from '#accounts/browser-profiles.ts';
import type { Workspaces } from '#accounts/workspaces/create-workspaces.ts';
import type { BrowserHost, HostedBrowser } from '#browsers/host.ts';
import type { Owners } from '#cluster/owners.ts';
import type { RuleBook } from '#contract/rule-book.ts';
import type { Clock } from '#lib/clock.ts';
import type { AccessTokens, Vault } from '#lib/vault.ts';
import type { Blobs } from '#store/blobs/blobs.ts';
import type { BrowserRow } from '#store/queries/browsers.ts';
import type { Recordings } from '../recordings/index.ts';
import type { Database } from '#store/database.ts';

/** Dependencies of standalone browsers. */
export interface StandaloneDeps {
  readonly db: Database;
  /** Storage of downloads. */
  readonly blobs: Blobs;
  /** Encrypts custom proxies while their browsers are active. */
  readonly vault: Vault;
  readonly host: BrowserHost;
  readonly browserProfiles: BrowserProfiles;
  readonly recordings: Recordings;
  readonly workspaces: Workspaces;
  /** Ownership of sessions and browsers among several processes. */
  readonly owners: Owners;
  readonly clock: Clock;
  /** Returns a new UUID. */
  readonly newId: () => string;
  /** Generates the unguessable parts of URLs. */
  readonly tokens: Pick<AccessTokens, 'make'>;
  readonly rules: RuleBook;
  /** Maximum number of active sandboxes, sessions included, of a project without a limit of its own. */
  readonly activeMax: ActiveMax;
  readonly log: Logger;
}

/** The browser processes of standalone browsers in this process: at most one per browser row. */
export interface RunningBrowsers {
  /**
   * Returns the browser of a row and starts it if needed; concurrent callers share one start. Returns null if the
   * browser was stopped meanwhile or another process owns it.
   */
  open(row: BrowserRow): Promise<HostedBrowser | null>;
  /**
   * Starts the browser without waiting for its pages: resolves when the browser responds, with false if it was stopped
   * or belongs to another process.
   */
  begin(row: BrowserRow): Promise<boolean>;
  /** Returns the browser with this id if it is running; otherwise null. */
  get(id: string): HostedBrowser | null;
  /**
   * Calls `giveUp` to release a browser; does nothing if the browser runs, starts or ends in this process. If the
   * browser is requested during the release, its start waits for the end of the release.
   */
  leave(id: string, giveUp: () => Promise<void>): Promise<void>;
  /** Returns a browser by id, as `get` does, but waits for a browser that is being started. Never rejects. */
  started(id: string): Promise<HostedBrowser | null>;
  /**
   * Returns the proxy traffic of the browser since its creation, in bytes, as far as this process knows it. Returns 0
   * for a browser that does not run in this process.
   */
  trafficBytes(id: string): number;
  /** Ends a browser by id, also during its start. Settles when its resources are freed and its traffic is booked. */
  stop(id: string): Promise<void>;
  /** Returns the ids of the browsers that run, start or end in this process. */
  ids(): string[];
  /** Ends all browsers; later starts are refused. */
  close(): Promise<void>;
}
