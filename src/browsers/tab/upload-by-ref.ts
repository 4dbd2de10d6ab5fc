import type { Locator, Page } from 'playwright-core';
import type { FileToUpload } from './tab.ts';
import { ACT_TIMEOUT_MS } from './told-why.ts';

/** Puts a file into a file input; of any other element into the chooser that it opens when it is clicked. */
export async function uploadByRef(
  page: Page,
  element: Locator,
  { name, contentType, bytes, signal }: FileToUpload & { readonly signal: AbortSignal },
): Promise<void> {
  const file = { name, mimeType: contentType, buffer: Buffer.from(bytes) };
  const timeout = { timeout: ACT_TIMEOUT_MS, signal };
  if (await element.evaluate(isFileInput, null, timeout)) return element.setInputFiles(file, timeout);
  const opened = page.waitForEvent('filechooser', timeout);
  const [chooser] = await Promise.all([opened, element.click(timeout)]);
  await chooser.setFiles(file, timeout);
}

/** Runs inside the page. */
function isFileInput(element: { readonly type?: string; matches(selector: string): boolean }): boolean {
  return element.matches('input[type=file]');
}
