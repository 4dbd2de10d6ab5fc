/** Names that lead to a cloud's metadata service whatever they resolve to. */
const METADATA_HOSTS = ['metadata', 'metadata.google.internal', 'metadata.goog', 'instance-data'] as const;

/**
 * Hosts that Chromium itself calls even with its background networking switched off. Refused so that nobody pays for
 * that traffic and no browser installs anything.
 */
const CHROMIUM_HOSTS = [
  'accounts.google.com',
  'android.clients.google.com',
  'clients1.google.com',
  'clients2.google.com',
  'clients3.google.com',
  'clients4.google.com',
  'clientservices.googleapis.com',
  'content-autofill.googleapis.com',
  'edgedl.me.gvt1.com',
  'mtalk.google.com',
  'optimizationguide-pa.googleapis.com',
  'redirector.gvt1.com',
  'safebrowsing.googleapis.com',
  'update.googleapis.com',
] as const;

const REASONS = new Map<string, string>([
  ...METADATA_HOSTS.map((host) => [host, 'a cloud metadata service'] as const),
  ...CHROMIUM_HOSTS.map((host) => [host, "the browser's own traffic"] as const),
]);

/** Why a host name is refused before it is even resolved, or null. Case and a trailing dot make no difference. */
export function deniedHost(hostname: string): string | null {
  return REASONS.get(hostname.toLowerCase().replace(/\.$/, '')) ?? null;
}
