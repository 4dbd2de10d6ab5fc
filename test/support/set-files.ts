import type { JsonObject } from '#lib/json.ts';
import type { RawCdp } from './raw-cdp.ts';

/** Sets the files of a new file input in the page. Returns the names and contents that a script reads, or the error. */
export async function setFiles(cdp: RawCdp, files: readonly string[]): Promise<string> {
  const page = await cdp.page();
  const run = async (expression: string, params: JsonObject = {}) =>
    (await cdp.result('Runtime.evaluate', { expression, awaitPromise: true, ...params }, page))['result'] as JsonObject;
  await run('document.body.innerHTML = "<input type=file multiple>"');
  const { objectId = '' } = await run('document.querySelector("input")');
  const reply = await cdp.call('DOM.setFileInputFiles', { objectId, files: [...files] }, page);
  if (reply['error'] !== undefined) return JSON.stringify(reply['error']);
  const read =
    'Promise.all(Array.from(document.querySelector("input").files, async (f) => f.name + "=" + await f.text())).then(String)';
  return String((await run(read))['value']);
}
