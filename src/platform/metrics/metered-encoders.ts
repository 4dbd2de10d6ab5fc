import type { BrowserHost } from '#browsers/host.ts';
import type { MeterMaker } from './meters.ts';

/** The host, with the encoders of its videos counted as long as they are open. */
export function meteredEncoders(host: BrowserHost, make: MeterMaker): BrowserHost {
  const open = new Set<object>();
  make.gauge('svc_video_encoders', [], (gauge) => gauge.set(open.size));
  return {
    ...host,
    async openEncoder(size) {
      const encoder = await host.openEncoder(size);
      open.add(encoder);
      return {
        encode: (jpeg, place) => encoder.encode(jpeg, place),
        close() {
          open.delete(encoder);
          return encoder.close();
        },
      };
    },
  };
}
