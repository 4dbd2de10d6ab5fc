import { type BrowserIdentity } from '../stealth/browser-identity.ts';
import { stealthFlags } from '../stealth/wear-disguise.ts';
import { type Place, placeFlags } from './exit-location.ts';
import { statfs } from 'node:fs/promises';
import { isMissing } from '../isolation/process-table.ts';

/** What the flags of one browser depend on. */
export interface FlagOptions {
  /** Absolute path of the browser's own profile folder. */
  readonly profile: string;
  readonly screen: { readonly width: number; readonly height: number };
  /** Port on 127.0.0.1 of the forward proxy that every request must take. */
  readonly proxyPort: number;
  /** False only where the system does not allow Chromium's own sandbox. */
  readonly sandbox: boolean;
  /** True where /dev/shm is too small for the browser's shared memory, as in containers by default. */
  readonly sharedMemoryOnDisk: boolean;
  /** True for a custom proxy that shows certificates of its own making. @defaultValue false */
  readonly ignoreCertErrors?: boolean;
  /** Browser identity; null keeps the default of an automated browser. @defaultValue null */
  readonly identity?: BrowserIdentity | null;
  /** Where it stands. @defaultValue where this machine stands */
  readonly place?: Place | null;
}

/** Chromium's own traffic and features that a hosted browser must not have. */
const DISABLED_FEATURES = [
  'NetworkTimeServiceQuerying',
  'OptimizationHints',
  'MediaRouter',
  'Translate',
  'AutofillServerCommunication',
  'CertificateTransparencyComponentUpdater',
  'GlobalMediaControls',
  'HttpsUpgrades',
  // Prerendered pages load in targets that no DevTools client sees before they are shown. The second and third prefetch in their place.
  'Prerender2',
  'PrefetchPrerenderIntegration',
  'Prerender2FallbackPrefetchSpecRules',
] as const;

/**
 * Lets no document be prefetched for speculation rules: DevTools clients cannot hold such a request. There is no switch for it, but a
 * number of requests at a time; a page sees a browser that supports them, as one whose user turned preloading off.
 */
const NO_PREFETCH =
  'PrefetchMultipleActiveSetSizeLimitForBase:prefetch_multiple_active_set_size_limit_for_base_value/0';

/** The flags that every browser gets. */
const CONSTANT_FLAGS = [
  '--headless=new',
  // No port: nothing that a page or another process on this machine could connect to.
  '--remote-debugging-pipe',
  '--no-first-run',
  '--no-default-browser-check',
  '--password-store=basic',
  '--mute-audio',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--disable-default-apps',
  '--disable-breakpad',
  '--disable-crash-reporter',
  '--disable-domain-reliability',
  '--disable-client-side-phishing-detection',
  '--disable-field-trial-config',
  '--metrics-recording-only',
  '--no-pings',
  '--no-service-autorun',
  `--disable-features=${DISABLED_FEATURES.join(',')}`,
  `--enable-features=${NO_PREFETCH}`,
  // A tab that is not in front must still do what its client asks for.
  '--disable-background-timer-throttling',
  '--disable-backgrounding-occluded-windows',
  '--disable-renderer-backgrounding',
  // Pages restored from this cache fire no load events, so DevTools clients would wait in vain.
  '--disable-back-forward-cache',
  '--disable-hang-monitor',
  '--disable-ipc-flooding-protection',
  '--disable-popup-blocking',
  // Without these a page learns the machine's addresses and sends datagrams around the proxy. Chrome reads the policy from
  // the first and only asks whether the second is there; the headless shell knows only the second and reads it from there.
  '--webrtc-ip-handling-policy=disable_non_proxied_udp',
  '--force-webrtc-ip-handling-policy=disable_non_proxied_udp',
  '--disable-quic',
  // Chromium goes around the proxy for loopback and 169.254.0.0/16 unless this rule takes that exception away.
  '--proxy-bypass-list=<-loopback>',
  // What goes around the proxy all the same, by whatever new feature, finds no address: Chromium itself resolves nothing else.
  '--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1',
] as const;

/** The command line of one browser, without the binary's path; the last argument opens the first tab. */
export function chromiumFlags(options: FlagOptions): string[] {
  return [
    ...CONSTANT_FLAGS,
    `--user-data-dir=${options.profile}`,
    ...stealthFlags(options),
    `--window-size=${options.screen.width},${options.screen.height}`,
    `--proxy-server=http://127.0.0.1:${options.proxyPort}`,
    ...(options.sandbox ? [] : ['--no-sandbox']),
    ...(options.sharedMemoryOnDisk ? ['--disable-dev-shm-usage'] : []),
    ...(options.ignoreCertErrors === true ? ['--ignore-certificate-errors'] : []),
    ...placeFlags(options.place ?? null),
    'about:blank',
  ];
}

/** Whether browsers must keep their shared memory in their temporary folder, because /dev/shm is small or missing. */
export async function needsSharedMemoryOnDisk(): Promise<boolean> {
  try {
    const { bsize, blocks } = await statfs('/dev/shm');
    return bsize * blocks < NEEDED_BYTES;
  } catch (error) {
    if (isMissing(error)) return true;
    throw error;
  }
}

/** Containers give /dev/shm 64 MiB by default, which one browser fills and then crashes. */
const NEEDED_BYTES = 512 * 1024 * 1024;
