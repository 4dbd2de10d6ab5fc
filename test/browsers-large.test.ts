import { afterAll, beforeAll, expect, it } from 'vitest';
import { connectRaw } from './support/raw-cdp.ts';
import { type RealBackend, startRealBackend } from './support/start-real-backend.ts';

const dumpBytes = 50 * 1024 * 1024;
const dumpMs = 300_000;
/**
 * Fills the page with hidden text of `dumpBytes` characters. As JSON the text is 1.5 times as large, because each
 * quotation mark takes two bytes.
 */
const grow = `document.body.hidden = true; document.body.textContent = 'x"'.repeat(${dumpBytes / 2}); 0`;

let real: RealBackend;

beforeAll(async () => {
  real = await startRealBackend();
});
afterAll(() => real.stop());

it(
  'the dump of a page of 50 MB passes, and other clients of the browser go on',
  async () => {
    const { cdpUrl } = await real.browser();
    const [dumping, other] = await Promise.all([connectRaw(cdpUrl), connectRaw(cdpUrl)]);
    const session = await dumping.page();
    await dumping.result('Runtime.evaluate', { expression: grow }, session);
    const { root } = await dumping.result('DOM.getDocument', {}, session);
    const { nodeId } = root as { nodeId: number };
    const dump = dumping.result('DOM.getOuterHTML', { nodeId }, session);
    expect(await other.result('Browser.getVersion')).toHaveProperty('product');
    const { outerHTML } = await dump;
    expect(Buffer.byteLength(String(outerHTML))).toBeGreaterThan(dumpBytes);
    expect(await dumping.result('Browser.getVersion')).toHaveProperty('product');
    for (const client of [dumping, other]) client.close();
  },
  dumpMs,
);
