/** Puts what pages, files and mails say between two lines that only we know, so that it cannot pretend to be anything else. */
export type Fence = (data: string) => string;

/** A fence for one task; the nonce is unguessable. */
export function createFence(nonce: string): Fence {
  return (data) => `[data ${nonce}]\n${data.replaceAll(nonce, '')}\n[end of data ${nonce}]`;
}
