import type { FrameEncoder } from '../frame-encoder.ts';

/** The placeholder picture of simulated browsers as a key frame of VP8, 16 x 10 pixels of white. */
const WHITE_VP8 = 'EAIAnQEqEAAKAAAHCIWFiJmEiAEkEABgawD+/7qDAA==';

/** An encoder for what simulated browsers show: whatever it is given becomes the same picture. */
export function createSimulatedEncoder(): FrameEncoder {
  return {
    encode: async (_jpeg, { timeMs }) => [{ data: Buffer.from(WHITE_VP8, 'base64'), isKey: true, timeMs }],
    close: async () => undefined,
  };
}
