import type { LocalHost, LocalHostOptions } from './local-host.ts';

export { createAbsentHost } from './host.ts';
export type { LocalHost, LocalHostOptions } from './local-host.ts';
export type { LocalBrowser } from './local-browser.ts';
export { createSimulatedHost, type SimulatedHost, type SimulatedHostOptions } from './simulated/simulated-host.ts';
export { HostBusy } from './admission.ts';
export type { HostReport } from './host.ts';
export type { BrowserBounds } from './isolation/warden.ts';
export type { CustomProxy } from './egress/proxy-file.ts';
export type { ExitOptions } from './egress/managed-proxy.ts';
export type { ProxyTable } from './egress/proxy-file.ts';
export type { DownloadRules, FinishedDownload } from './downloads/downloads.ts';
export { readPieces } from './downloads/downloads.ts';
export { type CdpGateway, createCdpGateway, type Discovery } from './gateway/create-gateway.ts';
export { type Audit, createAudit } from './gateway/audit.ts';
export { openAuditFile } from './gateway/audit-file.ts';
export { allowedAddress } from './tab/addresses.ts';
export type { BrowserProfile, BrowserState } from './profile/browser-profile.ts';
export { createLiveGateway, type LiveGateway } from './live-gateway/create-live-gateway.ts';
export type { LiveAccess, LiveLimits, LiveView } from './live-gateway/live-access.ts';
export type { GatewayLimits } from './gateway/gateway-limits.ts';

/**
 * Creates a host like `createLocalHost` of `local-host.ts`. Loads that module on the first call, because it imports
 * egress, proxies and profiles.
 */
export async function createLocalHost(options: LocalHostOptions): Promise<LocalHost> {
  const local = await import('./local-host.ts');
  return local.createLocalHost(options);
}
