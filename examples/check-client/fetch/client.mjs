import { generations } from './generations.mjs';

/**
 * Creates a client of one API generation that uses only fetch. The client can start a V2 task, V3 session or V4 run,
 * wait for its end, read it and stop it.
 */
export function createClient({ address, key, version, timeoutMs, pollMs }) {
  if (!key) throw new Error('found no key, expected one in SERVICE_API_KEY');
  const base = `${address.replace(/\/+$/, '')}/api/${version}`;
  const { path, state, ends, stops } = generations[version];
  const one = (id) => `${path}/${encodeURIComponent(id)}`;

  async function call(method, where, { json, waitMs = 1000 } = {}) {
    const headers = { 'X-Service-API-Key': key, ...(json && { 'Content-Type': 'application/json' }) };
    const options = { method, headers, body: json && JSON.stringify(json), signal: AbortSignal.timeout(timeoutMs) };
    // Redirects are errors, because a followed redirect could send the key to another host.
    const response = await fetch(base + where, { ...options, redirect: 'error' });
    if (response.status === 429 && waitMs < 10_000) {
      await sleep(Number(response.headers.get('retry-after')) * 1000 || waitMs);
      return call(method, where, { json, waitMs: waitMs * 2 });
    }
    const text = await response.text();
    if (!response.ok) throw new Error(`${response.status} ${words(text)}`);
    return text === '' ? undefined : JSON.parse(text);
  }

  return {
    call,
    async start(json) {
      const { browserSettings } = json;
      if (browserSettings && !('proxyCountryCode' in browserSettings))
        throw new Error('give a proxyCountryCode, or null');
      return (await call('POST', path, { json })).id;
    },
    stop: (id) => call(stops.method, one(id) + stops.path, { json: stops.json }),
    read: (id) => call('GET', one(id)),
    async end(id) {
      while (!ends.includes((await call('GET', one(id) + state)).status)) await sleep(pollMs);
      return call('GET', one(id));
    },
  };
}

/**
 * Returns the message of a refusal: the message in a JSON body, or the beginning of any other text, such as a page of a
 * proxy.
 */
function words(text) {
  if (!text.startsWith('{')) return text.slice(0, 200);
  const { message, detail } = JSON.parse(text);
  if (Array.isArray(detail)) return detail.map(({ loc, msg }) => `${loc.join('.')}: ${msg}`).join('; ');
  return message ?? detail?.message ?? detail;
}

export const sleep = (ms) => new Promise((done) => setTimeout(done, ms));
