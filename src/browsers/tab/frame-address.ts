import type { Frame } from 'playwright-core';

/** The address whose document a frame is part of: one without an address of its own is written by the frame around it. */
export function frameAddress(frame: Frame): string {
  const parent = frame.parentFrame();
  return parent !== null && /^about:|^$/.test(frame.url()) ? frameAddress(parent) : frame.url();
}
