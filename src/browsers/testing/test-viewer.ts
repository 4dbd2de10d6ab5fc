import type { LiveViewer } from '../host.ts';

/** Creates a viewer for tests that shows every frame at once; `named` overrides members. */
export function createTestViewer(named: Partial<LiveViewer> = {}): LiveViewer {
  return {
    picture: () => undefined,
    wantsPicture: () => true,
    scene: () => undefined,
    answersDialogs: false,
    ...named,
  };
}
