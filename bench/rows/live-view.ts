import { measureLiveView } from '../live-view.ts';
import type { BenchRow } from '../table/bench-row.ts';

/** Pictures a second of a live view beside Chromium's own screencast, and what a page at rest takes. */
export const liveView: BenchRow = {
  ids: ['live-view'],
  async measure(stage) {
    const service = await stage.service('live');
    const { viewer, client, atRest } = await measureLiveView(service, service.key);
    await stage.end('live');
    const shares = atRest.map((share) => `${(share * 100).toFixed(1)} %`).join(', ');
    const note = `processor for a page at rest before, while and after it is watched: ${shares}`;
    return [{ id: 'live-view', ours: viewer, anchor: client, note }];
  },
};
