import { newBlobKey } from '#store/blobs/blobs.ts';
import { inTransaction } from '#store/transaction.ts';
import { markUnreferenced } from '#store/blobs/unreferenced-blobs.ts';
import { givePicture } from '#store/queries/steps.ts';
import { discardBlobs } from '#accounts/workspaces/files.ts';
import type { HostedBrowser } from '#browsers/host.ts';
import type { EngineState } from './engine-deps.ts';
import type { Sandbox } from './sandboxes.ts';

/** The browser to capture, and its sandbox, which records whether a secret was typed. */
interface Pictured {
  readonly browser: HostedBrowser;
  readonly sandbox: Sandbox;
  /** Aborts the screenshot. @defaultValue no abort */
  readonly signal?: AbortSignal;
}

/**
 * Takes a screenshot as {@link storePicture} does and makes it the latest picture of the session. The caller has
 * recorded `key` as unreferenced.
 */
export async function saveFirstPicture(
  engine: EngineState,
  sessionId: string,
  { key, ...pictured }: Pictured & { readonly key: string },
): Promise<void> {
  const bytes = await takePicture(engine, sessionId, pictured);
  if (bytes !== null) await write(engine, key, bytes);
  // The key is discarded if no picture was taken, or if the session was purged meanwhile.
  if (bytes === null || !(await givePicture(engine.db, sessionId, key))) await discardBlobs(engine, [key]);
}

/**
 * Stores a screenshot as an unreferenced blob; returns its key. Returns null when no screenshot could be taken, or when
 * a secret was typed into the browser, because its pages may show the secret.
 */
export async function storePicture(engine: EngineState, sessionId: string, pictured: Pictured): Promise<string | null> {
  const bytes = await takePicture(engine, sessionId, pictured);
  if (bytes === null) return null;
  const key = newBlobKey('jpg');
  // A transaction shares its disk sync with other transactions, unlike a single statement.
  await inTransaction(engine.db, (trx) => markUnreferenced(trx, key, engine.clock.now()), { of: [key] });
  await write(engine, key, bytes);
  return key;
}

async function takePicture(
  engine: EngineState,
  sessionId: string,
  { browser, sandbox, signal }: Pictured,
): Promise<Uint8Array | null> {
  if (sandbox.hasTyped) return null;
  const bytes = await takeScreenshot(engine, sessionId, { browser, signal });
  // Another task of the browser may have typed a secret meanwhile.
  return sandbox.hasTyped ? null : bytes;
}

function write({ blobs }: EngineState, key: string, bytes: Uint8Array): Promise<void> {
  return blobs.write(key, { bytes: inOnePiece(bytes), size: bytes.length });
}

async function* inOnePiece(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

/**
 * Takes a screenshot. Returns null if that fails, for example due to a dialog or an endless script, so that the task
 * continues.
 */
async function takeScreenshot(
  engine: EngineState,
  sessionId: string,
  { browser, signal }: { readonly browser: HostedBrowser; readonly signal: AbortSignal | undefined },
): Promise<Uint8Array | null> {
  try {
    return await browser.screenshot(signal);
  } catch (error) {
    const ended = signal?.aborted === true || engine.sandboxes.get(sessionId)?.browser !== browser;
    engine.log[ended ? 'debug' : 'warn']({ session: sessionId, err: error }, 'no screenshot');
    return null;
  }
}
