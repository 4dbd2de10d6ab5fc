import { describe, expect, it } from 'vitest';
import { followFronts } from './follow-fronts.ts';

describe('the tab that a client brings to the front', () => {
  it('is known from its target or its session, as long as the session lasts', () => {
    const fronted: string[] = [];
    const watch = followFronts((id) => fronted.push(id));
    watch.sent({ method: 'Target.activateTarget', params: { targetId: 'A' } });
    watch.sent({ method: 'Page.bringToFront', sessionId: 'sB' });
    watch.received({
      method: 'Target.attachedToTarget',
      params: { sessionId: 'sB', targetInfo: { type: 'page', targetId: 'B' } },
    });
    watch.sent({ method: 'Page.bringToFront', sessionId: 'sB' });
    watch.received({ method: 'Target.detachedFromTarget', params: { sessionId: 'sB' } });
    watch.sent({ method: 'Page.bringToFront', sessionId: 'sB' });
    watch.sent({ method: 'Page.navigate', params: { targetId: 'C' } });
    expect(fronted).toEqual(['A', 'B']);
  });
});
