/*
 * Browser hosts: they start browsers, hand out tabs, pictures and byte counts, and end browsers without a trace.
 * Called by the engine through the interfaces in host.ts, and by whoever composes the service through the factories below.
 * One Chromium per browser on a debugging pipe (pipe/), a folder and a user of its own (launch/), every request through a
 * forward proxy that keeps it away from private networks (egress/) and by the way of its country (exits/), the agent's tab over
 * Playwright (tab/). DevTools clients from outside join through the gateway, which judges what they send (gateway/). People watch a
 * browser and work in it through its live view (live/), which they reach by a websocket (live-gateway/).
 * Must not know what a session, a task or a cost is, and must not read the service's configuration.
 */

import type { LocalHost, LocalHostOptions } from './local-host.ts';

export { createAbsentHost } from './host.ts';
export type { LocalHost, LocalHostOptions } from './local-host.ts';
export type { LocalBrowser } from './local-browser.ts';
export { createSimulatedHost, type SimulatedHost, type SimulatedHostOptions } from './simulated/simulated-host.ts';
export { HostBusy } from './admission.ts';
export type { HostReport } from './host.ts';
export type { BrowserBounds } from './isolation/index.ts';
export type { CustomProxy } from './egress/proxy-file.ts';
export type { ExitOptions } from './egress/managed-proxy.ts';
export type { ProxyTable } from './egress/proxy-file.ts';
export type { DownloadRules, FinishedDownload } from './downloads/downloads.ts';
export { readPieces } from './downloads/downloads.ts';
export { type CdpGateway, createCdpGateway, type Discovery } from './gateway/create-gateway.ts';
export { type Audit, createAudit, openAuditFile } from './gateway/audit.ts';
export { allowedAddress } from './tab/addresses.ts';
export type { BrowserProfile, BrowserState } from './profile/index.ts';
export { createLiveGateway, type LiveGateway } from './live-gateway/create-live-gateway.ts';
export type { LiveAccess, LiveLimits, LiveView } from './live-gateway/live-access.ts';
export type { GatewayLimits } from './gateway/gateway-limits.ts';

/** As `createLocalHost` of `local-host.ts`, which is loaded only where browsers are real: it brings egress, proxies and profiles. */
export async function createLocalHost(options: LocalHostOptions): Promise<LocalHost> {
  const local = await import('./local-host.ts');
  return local.createLocalHost(options);
}
