import type { Route } from '#conformance/index.ts';

/** Where a browser is, and how to get there. */
export interface Way {
  /** Its websocket address, ws: or wss:; whoever has it can drive the browser. */
  readonly away: URL;
  readonly route: Route;
}
