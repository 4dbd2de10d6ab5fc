import * as fc from 'fast-check';
import { expect, it, vi } from 'vitest';
import type { JsonObject, JsonValue } from '#lib/json.ts';
import { isJsonObject } from '#lib/json.ts';
import { type FuzzCommand, fuzzCommand } from './support/cdp-arbitrary.ts';
import { type RawCdp, connectRaw } from './support/raw-cdp.ts';
import { startRealBackend } from './support/start-real-backend.ts';

/** Total number of commands. SVC_SEED repeats a run. */
const commands = 300;
const seed = Number(process.env['SVC_SEED'] ?? 20_261_248);
/**
 * Number of commands of each client. Many commands block the client's own page, so another client sends the next
 * ones.
 */
const perClient = 20;
/** Timeout of an answer. A healthy browser answers within milliseconds. */
const answerMs = 10_000;
const shownCommands = 25;

interface Guest {
  readonly client: RawCdp;
  readonly session: string;
  readonly living: Readonly<Record<string, JsonValue>>;
}

/**
 * Connects a new client and attaches it to a page of the browser. Tries again until the timeout, because the previous
 * client may have closed the page that was found.
 */
function join(cdpUrl: string): Promise<Guest> {
  return vi.waitFor(() => joinOnce(cdpUrl), { timeout: answerMs });
}

async function joinOnce(cdpUrl: string): Promise<Guest> {
  const client = await connectRaw(cdpUrl);
  try {
    const { targetInfos } = await client.result('Target.getTargets');
    const page = (targetInfos as JsonObject[]).find(({ type }) => type === 'page') ?? {};
    const { targetId = '', browserContextId = '' } = page;
    const { sessionId } = await client.result('Target.attachToTarget', { targetId, flatten: true });
    const living = { TargetID: targetId, FrameId: targetId, BrowserContextID: browserContextId, WindowID: 1 };
    return { client, session: String(sessionId), living };
  } catch (error) {
    client.close();
    throw error;
  }
}

/**
 * Returns a copy of a value in which ids replace placeholders: `<name>` becomes the id with this name in `living`. A
 * placeholder without such an id stays.
 */
function filled(value: JsonValue, living: Guest['living']): JsonValue {
  if (typeof value === 'string') return living[/^<(\w+)>$/.exec(value)?.[1] ?? ''] ?? value;
  if (Array.isArray(value)) return value.map((element) => filled(element, living));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, filled(member, living)]));
}

/**
 * Sends a command without waiting for its answer. The command goes to the client's page if its id is even, and to the
 * browser otherwise.
 */
function send({ client, session, living }: Guest, { method, params }: FuzzCommand, id: number): void {
  const target = id % 2 === 0 ? { sessionId: session } : {};
  client.socket.send(JSON.stringify({ id, method, params: filled(params, living), ...target }));
}

async function answered(bystander: RawCdp): Promise<string> {
  const late = AbortSignal.timeout(answerMs);
  const isLate = new Promise<string>((resolve) => late.addEventListener('abort', () => resolve('no answer')));
  const answer = bystander.result('Browser.getVersion').then(
    () => 'answered',
    (error: unknown) => String(error),
  );
  return Promise.race([answer, isLate]);
}

it(`a bystander is answered whatever another client asks for: ${commands} commands, seed ${seed}`, async () => {
  const real = await startRealBackend();
  const { cdpUrl } = await real.browser();
  const bystander = await connectRaw(cdpUrl);
  const sample = fc.sample(fuzzCommand, { seed, numRuns: commands });
  let guest = await join(cdpUrl);
  for (const [index, command] of sample.entries()) {
    if (index % perClient === perClient - 1 || guest.client.socket.readyState !== guest.client.socket.OPEN) {
      guest.client.close();
      await guest.client.ended;
      guest = await join(cdpUrl);
    }
    send(guest, command, 1000 + index);
    const recent = sample.slice(Math.max(0, index - shownCommands), index + 1);
    const shown = recent.map(({ method, params }) => `${method} ${JSON.stringify(params).slice(0, 300)}`).join('\n');
    expect(await answered(bystander), `seed ${seed}, after\n${shown}`).toBe('answered');
  }
  const { targetId = '' } = await bystander.result('Target.createTarget', { url: 'about:blank' });
  const { sessionId } = await bystander.result('Target.attachToTarget', { targetId, flatten: true });
  const sum = { expression: '1 + 1', returnByValue: true };
  expect(await bystander.result('Runtime.evaluate', sum, String(sessionId))).toMatchObject({ result: { value: 2 } });
  guest.client.close();
  bystander.close();
  await real.stop();
});
