import type { PerformanceEntry } from 'node:perf_hooks';
import type { Mask } from './create-mask.ts';

/**
 * Gives a page the `chrome` object that it finds in a Chrome with a window, where it has none (the headless shell). Runs in the
 * page, from its source text, so it is complete in itself.
 */
export function addChromeObject(mask: Mask): void {
  const { defineProperty, has } = Reflect;
  if (has(globalThis, 'chrome') || mask.at('document') === null) return;
  const timing = performance;
  const { round } = Math;
  /** Seconds since 1970 of a moment of the page's loading, 0 before it. */
  const at = (moment: string): number => {
    const value: unknown = Reflect.get(Reflect.get(timing, 'timing'), moment);
    return typeof value === 'number' ? value / 1000 : 0;
  };
  const entryOf = (type: string): PerformanceEntry | undefined =>
    timing.getEntries().find((entry) => Reflect.get(entry, 'entryType') === type);
  const connection = (): string => {
    const entry = entryOf('navigation');
    const protocol: unknown = entry === undefined ? '' : Reflect.get(entry, 'nextHopProtocol');
    return typeof protocol === 'string' && protocol !== '' ? protocol : 'unknown';
  };
  // Passed on, so that they have no name, as the native ones.
  const loadTimes = mask.opaque(function () {
    const isFast = connection() === 'h2' || connection() === 'h3';
    return {
      requestTime: at('navigationStart'),
      startLoadTime: at('navigationStart'),
      commitLoadTime: at('responseStart'),
      finishDocumentLoadTime: at('domContentLoadedEventEnd'),
      finishLoadTime: at('loadEventEnd'),
      firstPaintTime: ((entryOf('paint')?.startTime ?? 0) + timing.timeOrigin) / 1000,
      firstPaintAfterLoadTime: 0,
      navigationType: 'Other',
      wasFetchedViaSpdy: isFast,
      wasNpnNegotiated: isFast,
      npnNegotiatedProtocol: isFast ? connection() : 'unknown',
      wasAlternateProtocolAvailable: false,
      connectionInfo: connection(),
    };
  });
  const csi = mask.opaque(function () {
    const startE = round(at('navigationStart') * 1000);
    return { startE, onloadT: round(at('domContentLoadedEventEnd') * 1000), pageT: timing.now(), tran: 15 };
  });
  // No constructors, like the native ones.
  const methods = {
    getDetails: () => null,
    getIsInstalled: () => false,
    installState: () => undefined,
    runningState: () => 'cannot_run',
  };
  const app = {
    isInstalled: false,
    getDetails: mask.opaque(methods.getDetails),
    getIsInstalled: mask.opaque(methods.getIsInstalled),
    installState: mask.opaque(methods.installState),
    runningState: mask.opaque(methods.runningState),
    InstallState: { DISABLED: 'disabled', INSTALLED: 'installed', NOT_INSTALLED: 'not_installed' },
    RunningState: { CANNOT_RUN: 'cannot_run', READY_TO_RUN: 'ready_to_run', RUNNING: 'running' },
  };
  const value = { loadTimes, csi, app };
  defineProperty(globalThis, 'chrome', { value, writable: true, enumerable: true, configurable: true });
}
