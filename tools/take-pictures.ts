import { mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type Browser, chromium } from 'playwright-core';
import { findChromium } from '#browsers/launch/find-chromium.ts';
import { startSite } from '../fixtures/sites/start-site.ts';
import { type ServiceProcess, runSvc, startService } from './conformance/svc-process.ts';

/**
 * npm run pictures
 * Takes the screenshots of the README from a real run. Starts the reference with a real Chromium and runs tasks on a
 * local site. Judges the reference through a relay that breaks one rule. Takes pictures of the console and of the HTML
 * report. Writes docs/images.
 */
const key = 'svc_pictures_of_the_readme';
const target = 'docs/images';
const maxBytes = 150_000;
const window = { width: 1280, height: 800 };

const instructions = [
  'Open {wiki}/article/mashing, click Edit, correct the misspelt word "temperture" to "temperature", write "typo" as the summary and save the page.',
  'Go to the article about hops at {wiki}, open its history and tell me who made the first edit.',
  'Open {wiki}, search for Kölsch and open the article. What does the box on the right give as the original gravity?',
];

/** The used members of a V4 run. */
interface Run {
  readonly id: string;
  readonly status: string;
}

async function request(url: string, body?: object): Promise<Run> {
  const answer = await fetch(url, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { 'X-Service-API-Key': key, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  if (!answer.ok) throw new Error(`${url} answered ${answer.status}, expected a run: ${await answer.text()}`);
  const run: Run = JSON.parse(await answer.text());
  return run;
}

/** Runs a task to its end; throws unless it completes. */
async function runTask(address: string, task: string): Promise<void> {
  const model = 'claude-sonnet-5';
  let run = await request(`${address}/api/v4/runs`, { task, model, browserSettings: { proxyCountryCode: null } });
  while (!['completed', 'failed', 'cancelled'].includes(run.status))
    run = await request(`${address}/api/v4/runs/${run.id}`);
  if (run.status !== 'completed') throw new Error(`the run ended as ${run.status}, expected completed`);
}

/** Starts a relay to the service. Where V3 answers 422 (invalid request), the relay answers 400. */
async function startRelay(address: string): Promise<{ readonly address: string; close(): Promise<void> }> {
  const server = createServer((from, to) => {
    const chunks: Buffer[] = [];
    from.on('data', (chunk: Buffer) => chunks.push(chunk));
    from.on('end', () => {
      const { host: _, connection: __, ...headers } = from.headers;
      const given = Object.entries(headers).map(([name, value]): [string, string] => [name, String(value)]);
      const hasBody = from.method !== 'GET' && from.method !== 'HEAD' && chunks.length > 0;
      const url = from.url ?? '/';
      fetch(new URL(url, address), {
        method: from.method ?? 'GET',
        headers: given.filter(([name]) => name !== 'transfer-encoding' && name !== 'content-length'),
        ...(hasBody ? { body: Buffer.concat(chunks) } : {}),
      })
        .then(async (answer) => {
          const isBroken = answer.status === 422 && url.startsWith('/api/v3');
          to.writeHead(isBroken ? 400 : answer.status, { 'content-type': answer.headers.get('content-type') ?? '' });
          to.end(Buffer.from(await answer.arrayBuffer()));
        })
        .catch((error: unknown) => to.destroy(error instanceof Error ? error : new Error(String(error))));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const bound = server.address();
  if (bound === null || typeof bound === 'string') throw new Error('the relay has no port');
  return {
    address: `http://127.0.0.1:${bound.port}`,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

/**
 * Runs `svc check` through the relay and takes a screenshot of the HTML report. Throws unless `svc check` finds
 * violations.
 */
async function pictureReport(browser: Browser, service: ServiceProcess, folder: string): Promise<void> {
  const relay = await startRelay(service.address);
  const file = join(folder, 'report.html');
  try {
    const flags = ['--report', `terminal,html=${file}`, '--seed', '1', '--rate', '0'];
    const code = await runSvc(['check', relay.address, ...flags], { SERVICE_API_KEY: key });
    if (code !== 1) throw new Error(`svc check ended with ${code}, expected 1: the relay breaks a rule`);
  } finally {
    await relay.close();
  }
  const page = await browser.newPage({ viewport: window });
  await page.goto(pathToFileURL(file).href);
  await take('report', () => page.screenshot({ path: `${target}/report.png` }));
}

/** Logs in to the console, opens the task about Kölsch and takes a screenshot. */
async function pictureConsole(browser: Browser, { address }: ServiceProcess): Promise<void> {
  const page = await browser.newPage({ viewport: window, locale: 'en' });
  await page.goto(address);
  await page.getByLabel('API key').fill(key);
  await page.getByRole('button', { name: 'Log in' }).click();
  await page.getByRole('heading', { name: 'Tasks', level: 1 }).waitFor();
  await page.getByRole('link').filter({ hasText: 'Kölsch' }).first().click();
  await page.getByRole('article').getByText('completed').first().waitFor();
  await page.waitForLoadState('networkidle');
  await take('console', () => page.screenshot({ path: `${target}/console.png` }));
}

/** Calls `shoot`, which writes the screenshot with this name. Throws if the file is too large for the README. */
async function take(name: string, shoot: () => Promise<unknown>): Promise<void> {
  await shoot();
  const { size } = statSync(`${target}/${name}.png`);
  console.log(`wrote ${target}/${name}.png, ${size} bytes`);
  if (size > maxBytes) throw new Error(`${name}.png has ${size} bytes, expected at most ${maxBytes}`);
}

async function main(): Promise<void> {
  mkdirSync(target, { recursive: true });
  const folder = mkdtempSync(join(tmpdir(), 'svc-pictures-'));
  await using closing = new AsyncDisposableStack();
  closing.defer(() => rmSync(folder, { recursive: true, force: true }));
  const flags = [
    '--port',
    '0',
    '--hosts',
    'local',
    '--data',
    join(folder, 'data'),
    '--bootstrap-key',
    key,
    '--no-mail',
  ];
  const site = await startSite('wiki');
  closing.defer(() => site.close());
  const service = await startService({
    args: [...flags, '--allow', new URL(site.origin).host],
    onLog: console.error,
  });
  closing.defer(() => service.stop());
  const { path, environment } = await findChromium();
  const browser = await chromium.launch({
    executablePath: path,
    args: ['--no-sandbox'],
    env: { ...process.env, ...environment },
  });
  closing.defer(() => browser.close());
  for (const text of instructions) await runTask(service.address, text.replace('{wiki}', site.origin));
  await pictureConsole(browser, service);
  await pictureReport(browser, service, folder);
}

await main();
