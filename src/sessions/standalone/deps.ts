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
  /** Seals custom proxies for the time that their browsers live. */
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
  /** Makes the unguessable parts of its addresses. */
  readonly tokens: Pick<AccessTokens, 'make'>;
  readonly rules: RuleBook;
  /** Sandboxes of a project without a limit of its own that may live at the same time, sessions included. */
  readonly activeMax: ActiveMax;
  readonly log: Logger;
}

/** The browser processes of standalone browsers in this process: at most one per browser row. */
export interface RunningBrowsers {
  /** The browser of a row, started when it is not running; callers at the same moment share one start. Null when it was stopped meanwhile, or is another process's. */
  open(row: BrowserRow): Promise<HostedBrowser | null>;
  /**
   * Starts the browser without waiting for its pages: resolves when it responds, with false when it was stopped or
   * belongs to another process.
   */
  begin(row: BrowserRow): Promise<boolean>;
  /** The browser of that id if it is running. */
  get(id: string): HostedBrowser | null;
  /** Gives up a browser of which nothing runs, starts or is just ending here; one that is asked for meanwhile starts when that is done. */
  leave(id: string, giveUp: () => Promise<void>): Promise<void>;
  /** The same as `get`, but waits for one that is being started; never rejects. */
  started(id: string): Promise<HostedBrowser | null>;
  /** Bytes that crossed the proxy in the browser's whole life, as far as this process knows. */
  trafficBytes(id: string): number;
  /** Ends the browser of that id, also one that is being started; settles when everything of it has gone and its bytes are written. */
  stop(id: string): Promise<void>;
  /** The browsers that run, start or end here, by id. */
  ids(): string[];
  /** Ends all browsers; later starts are refused. */
  close(): Promise<void>;
}
