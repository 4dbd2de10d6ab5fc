import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startService } from '../../tools/conformance/svc-process.ts';
import { type ApiClient, createApiClient } from '../support/api-client.ts';
import { testKey } from '../support/start-backend.ts';
import { formFor, sendForm } from '../support/upload-form.ts';
import type { World } from './script.ts';
import { startSite } from './site.ts';

/** A `svc serve` in a child process, and the server of the fixture pages. */
export interface Stage {
  readonly v4: ApiClient;
  readonly origin: string;
  /** Creates a browser, and uploads the file that the script needs to it. */
  browser(): Promise<{ id: string; cdpUrl: string; world: World }>;
  stop(): Promise<void>;
}

const upload = { fileName: 'note.txt', contentType: 'text/plain', sizeBytes: 5 };

/**
 * Starts the service and the server of the fixture pages. The service gets the variables of `environment` in addition
 * to those of this process.
 */
export async function startStage(environment: Readonly<Record<string, string>> = {}): Promise<Stage> {
  await using owned = new AsyncDisposableStack();
  const folder = mkdtempSync(join(tmpdir(), 'svc-stage-'));
  owned.defer(() => rmSync(folder, { recursive: true, force: true }));
  // Browsers run as a separate user, which needs to enter the folder.
  chmodSync(folder, 0o711);
  const file = join(folder, upload.fileName);
  writeFileSync(file, 'hello');
  const site = await startSite();
  owned.defer(() => site.close());
  const data = ['--data', join(folder, 'data'), '--bootstrap-key', testKey];
  const served = await startService({ args: ['--port', '0', ...data, '--allow', site.host], env: environment });
  owned.defer(() => served.stop());
  const v4 = createApiClient(served.address, testKey, 'v4');
  const v2 = createApiClient(served.address, testKey, 'v2');
  const resources = owned.move();
  return {
    v4,
    origin: site.origin,
    async browser() {
      const { status, body } = await v4.call('POST', '/browsers', {});
      if (status !== 201) throw new Error(`not created: ${JSON.stringify(body)}`);
      const id = String(body['id']);
      await sendForm(await formFor(v2, id, { of: 'browsers', ...upload }), 'hello');
      const world = { origin: site.origin, file, downloads: () => waitForDownloads(v4, id) };
      return { id, cdpUrl: String(body['cdpUrl']), world };
    },
    stop: () => resources.disposeAsync(),
  };
}

/** Polls until at least one download is listed, because the end of a download is not reported. */
async function waitForDownloads(v4: ApiClient, id: string): Promise<string[]> {
  for (;;) {
    const { body } = await v4.call('GET', `/browsers/${id}/downloads`);
    const files = body['files'] as { path: string }[];
    if (files.length > 0) return files.map(({ path }) => path.split('/').pop() ?? '');
  }
}

/** First bytes of a PNG picture. */
export const png = Buffer.from([0x89, 0x50, 0x4e, 0x47]);

/** Calls `take` with a temporary path, and returns the picture that `take` writes to this path. */
export async function takePicture(take: (path: string) => Promise<unknown>): Promise<Buffer> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-quickstart-'));
  try {
    const path = join(folder, 'screenshot.png');
    await take(path);
    return readFileSync(path);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
