import { type BrowserIdentity } from '../stealth/browser-identity.ts';
import { stealthFlags } from '../stealth/wear-disguise.ts';
import { type Place, placeFlags } from './exit-location.ts';
import { statfs } from 'node:fs/promises';
import { isMissing } from '#lib/system-errors.ts';

/** Options that the flags of one browser depend on. */
export interface FlagOptions {
  /** Absolute path of the browser's own profile folder. */
  readonly profile: string;
  readonly screen: { readonly width: number; readonly height: number };
  /** Port on 127.0.0.1 of the egress proxy, through which Chromium sends every request. */
  readonly proxyPort: number;
  /** Whether Chromium's own sandbox is enabled; false only if the sandbox does not work on this system. */
  readonly sandbox: boolean;
  /**
   * Whether Chromium keeps its shared memory in files; true where /dev/shm is too small, as in containers by default.
   */
  readonly sharedMemoryOnDisk: boolean;
  /** Whether Chromium accepts untrusted certificates, for a custom proxy that presents its own. @defaultValue false */
  readonly ignoreCertErrors?: boolean;
  /**
   * Identity that pages see in place of that of an automated browser; null leaves the browser unmodified.
   * @defaultValue null
   */
  readonly identity?: BrowserIdentity | null;
  /** Location that pages see: language, time zone and position. @defaultValue the location of this machine */
  readonly place?: Place | null;
}

/**
 * Features of Chromium that a hosted browser must not have, mostly because they cause additional traffic or targets.
 */
const disabledFeatures = [
  'NetworkTimeServiceQuerying',
  'OptimizationHints',
  'MediaRouter',
  'Translate',
  'AutofillServerCommunication',
  'CertificateTransparencyComponentUpdater',
  'GlobalMediaControls',
  'HttpsUpgrades',
  // Prerendered pages load in targets that DevTools clients see only when they are shown. The second and third feature
  // prefetch in their place.
  'Prerender2',
  'PrefetchPrerenderIntegration',
  'Prerender2FallbackPrefetchSpecRules',
  // Chromium 156 draws the suggestions of its address bar as chrome:// pages, which DevTools clients could attach to.
  'WebUIOmniboxPopup',
  'WebUIOmniboxAimPopup',
] as const;

/**
 * Feature setting that prevents prefetches by speculation rules, because DevTools clients cannot intercept these.
 * Chromium has no switch for them, so their limit of concurrent requests is 0. Pages see a browser that supports
 * speculation rules and whose user disabled preloading.
 */
const noPrefetch = 'PrefetchMultipleActiveSetSizeLimitForBase:prefetch_multiple_active_set_size_limit_for_base_value/0';

/** Flags of every browser. */
const constantFlags = [
  '--headless=new',
  // A pipe in place of a port, which pages and other processes could connect to.
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
  `--disable-features=${disabledFeatures.join(',')}`,
  `--enable-features=${noPrefetch}`,
  // A background tab must execute the commands of its client without delay.
  '--disable-background-timer-throttling',
  '--disable-backgrounding-occluded-windows',
  '--disable-renderer-backgrounding',
  // Pages restored from this cache fire no load events, which DevTools clients wait for.
  '--disable-back-forward-cache',
  '--disable-hang-monitor',
  '--disable-ipc-flooding-protection',
  '--disable-popup-blocking',
  // Without these flags, WebRTC reveals the machine's addresses and sends datagrams past the proxy. Chrome reads the
  // policy from the first flag; the headless shell reads it from the second.
  '--webrtc-ip-handling-policy=disable_non_proxied_udp',
  '--force-webrtc-ip-handling-policy=disable_non_proxied_udp',
  '--disable-quic',
  // Chromium bypasses the proxy for loopback and 169.254.0.0/16 unless this rule removes the exception.
  '--proxy-bypass-list=<-loopback>',
  // A request that bypasses the proxy nevertheless, for example by a new feature, resolves no host name.
  '--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1',
] as const;

/** Returns the command-line arguments for starting one browser. The last argument is the URL of the first tab. */
export function chromiumFlags(options: FlagOptions): string[] {
  return [
    ...constantFlags,
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

/** Returns whether browsers must keep shared memory in their temporary folder, because /dev/shm is small or missing. */
export async function needsSharedMemoryOnDisk(): Promise<boolean> {
  try {
    const { bsize, blocks } = await statfs('/dev/shm');
    return bsize * blocks < neededBytes;
  } catch (error) {
    if (isMissing(error)) return true;
    throw error;
  }
}

/** Minimum size of /dev/shm. Containers have 64 MiB by default, which one browser exhausts. */
const neededBytes = 512 * 1024 * 1024;
