import { describe, expect, it } from 'vitest';
import type { LiveScene } from '#contract/live-messages.ts';
import type { LivePicture } from '#browsers/host.ts';
import { guardSeat, guardViewer } from './watch-session.ts';

const scene: LiveScene = {
  tabs: [{ id: 'A', title: 'T hunter2', url: 'https://a.example/?p=hunter2' }],
  active: 'A',
  dialog: { kind: 'prompt', message: 'hunter2?', suggestion: 'hunter2' },
  trouble: null,
  canResize: true,
  isSimulated: false,
};
const picture: LivePicture = { jpeg: Uint8Array.of(1), width: 1, height: 1 };
const redact = (text: string): string => text.replaceAll('hunter2', '<secret:p>');

describe('a live view of a browser with secrets', () => {
  it('says placeholders in every word', async () => {
    const scenes: LiveScene[] = [];
    const shown = { picture: () => undefined, wantsPicture: () => true, answersDialogs: false };
    const viewer = guardViewer({ ...shown, scene: (told) => scenes.push(told) }, { redact, mayShow: () => true });
    viewer.scene(scene);
    expect(JSON.stringify(scenes)).not.toContain('hunter2');
    expect(scenes).toMatchObject([{ tabs: [{ title: 'T <secret:p>' }], dialog: { suggestion: '<secret:p>' } }]);
    const nothing = { wanted: () => undefined, input: () => undefined, leave: async () => undefined };
    const seat = guardSeat({ ...nothing, order: async () => 'hunter2' }, { redact, mayShow: () => true });
    expect(await seat.order({ type: 'copy' })).toBe('<secret:p>');
  });

  it('hides the browser from a viewer that loses access, and reports it once', () => {
    const scenes: LiveScene[] = [];
    let pictures = 0;
    let mayShow = true;
    const viewer = guardViewer(
      {
        picture: () => void (pictures += 1),
        wantsPicture: () => true,
        scene: (told) => scenes.push(told),
        answersDialogs: false,
      },
      { redact, mayShow: () => mayShow },
    );
    viewer.scene(scene);
    viewer.picture(picture);
    mayShow = false;
    viewer.picture(picture);
    viewer.picture(picture);
    viewer.scene(scene);
    expect([pictures, viewer.wantsPicture()]).toEqual([1, false]);
    expect(scenes).toHaveLength(2);
    expect(scenes[1]).toMatchObject({ trouble: 'hidden', tabs: [], active: null, dialog: null });
  });
});
