import type { Readable, Writable } from 'node:stream';
import { type CdpMessage, parseCdpMessage } from './cdp-message.ts';
import { createNulSplitter } from './nul-splitter.ts';

/** The two ends of a browser's debugging pipe as one duplex of messages. */
export interface CdpPipe {
  /** Writes one message; does nothing once the pipe is closed. */
  send(message: CdpMessage): void;
  /** Names the one listener, called for every message in order; do so before the first await after creation. */
  listen(listener: (message: CdpMessage) => void): void;
  /** Settles with the reason when either end has closed or broken; never rejects. */
  readonly closed: Promise<string>;
}

/** Speaks DevTools over a browser's file descriptors 3 (`toBrowser`) and 4 (`fromBrowser`). */
export function createCdpPipe(toBrowser: Writable, fromBrowser: Readable): CdpPipe {
  const { promise: closed, resolve } = Promise.withResolvers<string>();
  let open = true;
  const close = (reason: string): void => {
    open = false;
    resolve(reason);
  };
  let listener: (message: CdpMessage) => void = () => undefined;
  const split = createNulSplitter((text) => listener(parseCdpMessage(text)));
  fromBrowser.on('data', (chunk: Buffer) => {
    try {
      split(chunk);
    } catch (error) {
      // Nothing after a broken message can be trusted; destroying the stream reports the error through `error` below.
      fromBrowser.destroy(error instanceof Error ? error : new Error(String(error)));
    }
  });
  for (const stream of [toBrowser, fromBrowser]) {
    stream.on('error', (error) => close(`The debugging pipe broke: ${error.message}`));
    stream.on('close', () => close('The browser closed its debugging pipe.'));
  }
  return {
    closed,
    listen(next) {
      listener = next;
    },
    send(message) {
      if (open) toBrowser.write(`${JSON.stringify(message)}\0`);
    },
  };
}
