import type { LiveViewer } from '../host.ts';

/** Creates a viewer for tests that always wants further frames. `named` replaces members of this viewer. */
export function createTestViewer(named: Partial<LiveViewer> = {}): LiveViewer {
  return {
    picture: () => undefined,
    wantsPicture: () => true,
    scene: () => undefined,
    answersDialogs: false,
    ...named,
  };
}
