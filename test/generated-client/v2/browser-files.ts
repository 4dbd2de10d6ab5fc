import { expect } from 'vitest';
import type { paths } from '#generated/v2.ts';
import { connectRaw } from '../../support/raw-cdp.ts';
import { setFiles } from '../../support/set-files.ts';
import { startRealBackend } from '../../support/start-real-backend.ts';
import { sendForm } from '../../support/upload-form.ts';
import { ok } from '../support/answers.ts';
import type { Script } from '../support/world.ts';

/** Sends a file to a standalone browser, and reads it in a page of its Chromium. */
export const browserFiles: Script = async (world) => {
  const real = await startRealBackend();
  try {
    const { id, cdpUrl } = await real.browser();
    const form = await ok(
      world.connect<paths>(real.address).POST('/files/browsers/{session_id}/presigned-url', {
        params: { path: { session_id: id } },
        body: { fileName: 'my/cv.txt', contentType: 'text/plain', sizeBytes: 7 },
      }),
    );
    expect(await sendForm(form, 'my life')).toMatchObject({ status: 200 });
    const client = await connectRaw(cdpUrl);
    expect(await setFiles(client, [form.fileName])).toBe('my_cv.txt=my life');
    client.close();
  } finally {
    await real.stop();
  }
};
