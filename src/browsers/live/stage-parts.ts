import type { JsonObject } from '#lib/json.ts';
import type { HostLog } from '../host-log.ts';
import type { CdpMux } from '../pipe/cdp-mux.ts';
import type { OpenDialog, TabList } from './tab-list.ts';

/** Asks a page for something, or the browser for null; answers an empty object for an error, and when the browser ends. */
export type Ask = (session: string | null, method: string, params?: JsonObject) => Promise<JsonObject>;

/** What is known of a browser before anybody watched. */
export interface Earlier {
  /** Dialogs that may be open, with the addresses of their pages. */
  readonly dialogs: readonly { readonly url: string; readonly dialog: OpenDialog }[];
  /** The tab that a client brought to the front since the newest was opened; null for none. */
  readonly fronted: string | null;
  /** The newest tab. Its id takes a moment to find out, and cannot be where its page shows a dialog: then it is null. */
  readonly newest: { readonly url: string; readonly id: () => Promise<string | null> } | null;
}

/** What a stage is made of. */
export interface StageParts {
  readonly mux: CdpMux;
  /** Whether a viewer may give the browser another size. */
  readonly canResize: boolean;
  readonly earlier: () => Earlier;
  readonly log: HostLog;
}

/** What the parts of a stage have in common. */
export interface TabParts {
  readonly tabs: TabList;
  readonly ask: Ask;
  /** To be called when something about the tabs may be different. */
  readonly changed: () => void;
}
