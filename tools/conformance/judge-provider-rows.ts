import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { requirements } from '#generated/requirements.ts';
import { providers } from '#generated/rules.ts';
import { freePort, type ServiceProcess, printLog, runSvc, startService } from './svc-process.ts';
import { type PartResult, judgePart } from './judged-part.ts';

/** Provider whose key the first project stores before the run, and this key. */
const stored = { provider: 'google', key: `svc-stored-${randomBytes(8).toString('hex')}` } as const;

/**
 * Starts the reference so that it sends the requests for every model provider to the suite. Judges these requests in
 * every cell of every matrix. Browsers are simulated, because none of these tasks opens a page.
 */
export async function judgeProviderRows(extra: readonly string[]): Promise<PartResult> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-providers-'));
  const [key, other] = [newKey('first'), newKey('other')];
  const listen = `127.0.0.1:${await freePort()}`;
  const file = join(folder, 'providers.yaml');
  writeFileSync(file, stringify({ providers: accessesTo(`http://${listen}`) }), { mode: 0o600 });
  const data = join(folder, 'data');
  const place = ['--port', '0', '--data', data, '--hosts', 'simulated', '--providers', file];
  const log: string[] = [];
  const keys = ['--bootstrap-key', key, '--bootstrap-key', other];
  const serve = await startService({ args: [...place, ...keys], onLog: (line) => void log.push(line) });
  let failed = true;
  try {
    const result = await judge(serve, { folder, data, listen, key, other, extra });
    failed = result.code !== 0;
    return result;
  } finally {
    if (failed) printLog(log, extra);
    await serve.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

interface Judged {
  readonly folder: string;
  readonly data: string;
  readonly listen: string;
  readonly key: string;
  readonly other: string;
  readonly extra: readonly string[];
}

async function judge(serve: ServiceProcess, { folder, data, listen, key, other, extra }: Judged): Promise<PartResult> {
  const title = 'Requests to model providers, simulated browsers, every cell';
  const project = ['--data', data, '--project', `project of ${key.slice(0, 8)}`];
  const kept = await runSvc(['admin', 'provider-key', 'set', stored.provider, ...project], {
    SVC_PROVIDER_KEY: stored.key,
  });
  if (kept !== 0) return { title, code: kept, text: `no provider key could be stored, exit code ${kept}` };
  const target = join(folder, 'target.yaml');
  const ownKeyEndings = { [stored.provider]: stored.key.slice(-4) };
  const limits = { sessionsAtOnce: 8 };
  const known = {
    polling: { intervalMs: 50 },
    limits,
    ownKeys: [stored.provider],
    providerStub: { listen, ownKeyEndings },
  };
  writeFileSync(target, stringify(known));
  const whole = ['--target', target, '--profile', 'full', '--spend', 'task', '--matrix', 'full', '--rate', '0'];
  const keys = { SERVICE_API_KEY: key, SVC_OTHER_API_KEY: other };
  const flags = [...whole, '--only', rowsWithProviders().join(',')];
  return judgePart({ title, address: serve.address, flags, extra, env: keys });
}

/** Ids of requirements that need a stored provider key, and whose `observable` is not `hook`. */
const storedKeyRows = ['V3-CREATE-06', 'V3-CREATE-07'];

/**
 * Returns the ids of all requirements with `observable: hook`, and `storedKeyRows`. Omits excluded requirements with
 * `observable: hook`, and those of the area `lifecycle`, which other parts judge.
 */
function rowsWithProviders(): string[] {
  const rows: readonly { id: string; area: string; observable: string; excluded?: unknown }[] = requirements;
  return rows
    .filter(({ id, area, observable, excluded }) =>
      observable === 'hook' ? area !== 'lifecycle' && excluded === undefined : storedKeyRows.includes(id),
    )
    .map(({ id }) => id);
}

function accessesTo(address: string): Record<string, object> {
  const withPath = ['openai-responses', 'chat-completions'];
  return Object.fromEntries(
    providers.providers.map(({ provider, api }) => {
      const baseUrl = withPath.includes(api) ? `${address}/v1` : address;
      // Some models are available only through a cloud platform. A caller's own key goes to the provider itself, which
      // must be the stub too.
      const route = provider === stored.provider ? 'direct' : 'cloud';
      return [provider, { apiKey: `svc-service-key-of-${provider}`, baseUrl, route }];
    }),
  );
}

// Returns a new key. A project is named after the beginning of its first key.
function newKey(word: string): string {
  return `svc_${word.slice(0, 4)}${randomBytes(24).toString('base64url')}`;
}
