import type { Locator } from 'playwright-core';
import { TabError } from './tab.ts';
import { frameAddress } from './frame-address.ts';
import { notThere } from './not-allowed.ts';
import { ACT_TIMEOUT_MS } from './told-why.ts';

/** A text, and where it may go. */
export interface TextToFill {
  readonly ref: string;
  readonly text: string;
  /** Judges the address of the document that the field is part of; null for any. */
  readonly isPlace: ((address: string) => boolean) | null;
  readonly signal: AbortSignal;
}

/** Fills the very element whose document was judged: one that has left its document takes no text any more. */
export async function fillByRef(found: Locator, { ref, text, isPlace, signal }: TextToFill): Promise<void> {
  const timeout = { timeout: ACT_TIMEOUT_MS, signal };
  if (isPlace === null) return found.fill(text, timeout);
  const element = await found.elementHandle(timeout);
  const frame = await element?.ownerFrame();
  const address = frame === null || frame === undefined ? '' : frameAddress(frame);
  if (element === null || !isPlace(address)) throw new TabError(notThere(ref, address));
  await element.fill(text, timeout);
}
