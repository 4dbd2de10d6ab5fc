import { type Draw, createDraw } from '../draw.ts';
import { readFileSync } from 'node:fs';
import { type Report, type RunOptions, SuiteError, parseTarget, run } from '#conformance/index.ts';
import { keys, serveStranger } from '../stranger/server/serve.ts';
import { type MangledAnswer, mangle, mangleNames } from './mangle.ts';
import { once } from 'node:events';
import { Agent, type IncomingMessage, type ServerResponse, createServer, request } from 'node:http';

/** Options of the proof. */
interface ProveMangledOptions {
  readonly seed: number;
  /**
   * Number of runs, at most `runsMax`. For 1, `seed` is the seed of the run; otherwise `seed` determines the seeds of
   * all runs.
   */
  readonly seedsMax: number;
  readonly minutes: number;
}

const runsMax = 200;

/**
 * Runs the suite against mangled answers and prints each problem. Returns false if a run had a problem, or if the time
 * limit was reached before all runs were done.
 */
export async function proveMangled({ seed, seedsMax, minutes }: ProveMangledOptions): Promise<boolean> {
  const count = Math.min(runsMax, seedsMax);
  const draw = createDraw(seed);
  const seeds = seedsMax === 1 ? [seed] : Array.from({ length: count }, () => draw.below(2 ** 31));
  const until = performance.now() + minutes * 60_000;
  let [problems, done, longestMs] = [0, 0, 0];
  for (const one of seeds) {
    if (performance.now() > until) break;
    const result = await runMangled(one);
    done += 1;
    longestMs = Math.max(longestMs, result.durationMs);
    problems += result.problems.length;
    for (const problem of result.problems)
      console.error(`${problem}\n  npm run long -- mangled --seeds 1 --seed ${one}`);
    if (done % 25 === 0) console.log(`${done} of ${seeds.length}`);
  }
  console.log(`${done} of ${seeds.length} runs, ${problems} problems, the longest took ${longestMs} ms`);
  return problems === 0 && done === seeds.length;
}

const targetFile = readFileSync(new URL('../stranger/svc-target.yaml', import.meta.url), 'utf8');

/**
 * Time limit of a run in ms: three missed deadlines of tasks and the clean-up, on a busy machine. A longer run counts
 * as a problem.
 */
const runMsMax = 120_000;

/** Result of one run against mangled answers. */
interface MangledRun {
  readonly seed: number;
  readonly mangled: number;
  readonly durationMs: number;
  /** Problems of the suite in this run; empty without any. */
  readonly problems: readonly string[];
}

/** Runs the suite once. The seed chooses the share of mangled answers, the ways to mangle them and the spend level. */
export async function runMangled(seed: number, more: Partial<RunOptions> = {}): Promise<MangledRun> {
  const draw = createDraw(seed);
  const server = await serveStranger();
  const ways = draw.chance(0.3) ? [draw.of(mangleNames)] : mangleNames;
  const proxy = await startManglingProxy({ target: server.url, draw, share: draw.of([0.01, 0.05, 0.3, 1]), ways });
  const spend = draw.of(['none', 'browser', 'task'] as const);
  const unhandled: string[] = [];
  const note = (error: unknown): void => void unhandled.push(`unhandled: ${getStack(error)}`);
  process.on('unhandledRejection', note);
  const begun = performance.now();
  try {
    const text = `${targetFile.replace(/taskDeadlineMs: \d+/, 'taskDeadlineMs: 1000').replace(/settleDeadlineMs: \d+/, 'settleDeadlineMs: 200')}control: ${server.url}/control\n`;
    const report = await run({
      target: parseTarget({ url: proxy.url, text }),
      apiKey: keys.first,
      otherApiKey: keys.second,
      profile: 'full',
      spend,
      seed,
      timeoutMs: 2000,
      ratePerSecond: 0,
      ...more,
    });
    return createResult({ seed, mangled: proxy.mangled(), begun, problems: [...unhandled, ...listErrors(report)] });
  } catch (error) {
    // A target that is no service, or that refuses the key, ends a run with this error.
    const problems = error instanceof SuiteError ? unhandled : [...unhandled, `thrown: ${getStack(error)}`];
    return createResult({ seed, mangled: proxy.mangled(), begun, problems });
  } finally {
    process.off('unhandledRejection', note);
    proxy.close();
    await server.close();
  }
}

function createResult({ begun, problems, ...rest }: Omit<MangledRun, 'durationMs'> & { begun: number }): MangledRun {
  const durationMs = Math.round(performance.now() - begun);
  const late = durationMs > runMsMax ? [`took ${durationMs} ms; expected at most ${runMsMax}`] : [];
  return { ...rest, durationMs, problems: [...problems, ...late] };
}

function listErrors(report: Report): string[] {
  return report.requirements
    .filter(({ verdict, reason }) => verdict === 'error' || (verdict === 'notRun' && (reason ?? '') === ''))
    .map(({ id, verdict, reason }) => `${id} ${verdict}: ${reason ?? 'without a reason'}`);
}

function getStack(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

/** A proxy that mangles answers. */
interface ManglingProxy {
  readonly url: string;
  /** Returns the number of answers that were mangled so far. */
  readonly mangled: () => number;
  close(): void;
}

/** Options of the proxy. */
interface ManglingOptions {
  /** URL of the correct server whose answers the proxy mangles. */
  readonly target: string;
  readonly draw: Draw;
  /** Share of the answers that the proxy mangles, from 0 to 1. */
  readonly share: number;
  /** Names of the ways in which the proxy mangles answers. */
  readonly ways: readonly string[];
}

/** Starts a proxy on a free loopback port. Requests to the control URL of the target bypass the proxy. */
async function startManglingProxy({ target, draw, share, ways }: ManglingOptions): Promise<ManglingProxy> {
  const agent = new Agent({ keepAlive: true });
  let count = 0;
  const server = createServer((incoming, response) => {
    forward({ incoming, target, agent }).then(
      (answer) => {
        const isMangled = draw.chance(share);
        count += isMangled ? 1 : 0;
        send(response, isMangled ? mangle(draw.of(ways), answer, draw) : answer);
      },
      (error: unknown) => response.destroy(error instanceof Error ? error : undefined),
    );
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const address = server.address();
  return {
    url: `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`,
    mangled: () => count,
    close: () => {
      agent.destroy();
      server.close();
      server.closeAllConnections();
    },
  };
}

interface Forwarding {
  readonly incoming: IncomingMessage;
  readonly target: string;
  readonly agent: Agent;
}

async function forward({ incoming, target, agent }: Forwarding): Promise<MangledAnswer> {
  const { method, headers, url = '/' } = incoming;
  const body = await read(incoming);
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    request(`${target}${url}`, { method, headers, agent }, resolve).once('error', reject).end(body);
  });
  const type = answer.headers['content-type'];
  const kept = type === undefined ? {} : { 'content-type': type };
  return { status: answer.statusCode ?? 500, headers: kept, body: (await read(answer)).toString('latin1') };
}

async function read(stream: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return Buffer.concat(chunks);
}

function send(response: ServerResponse, { status, headers, body, cutAfter }: MangledAnswer): void {
  const bytes = Buffer.from(body, 'latin1');
  if (cutAfter === -1) {
    response.destroy();
    return;
  }
  const isEmpty = status === 204 || status === 304;
  response.writeHead(status, { ...headers, ...(isEmpty ? {} : { 'content-length': bytes.length }) });
  if (cutAfter === undefined || isEmpty) response.end(isEmpty ? undefined : bytes);
  else response.write(bytes.subarray(0, cutAfter), () => response.destroy());
}
