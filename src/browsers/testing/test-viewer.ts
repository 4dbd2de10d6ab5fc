import type { LiveViewer } from '../host.ts';

/** A viewer for tests that shows every picture at once; what a test looks at it names. */
export function createTestViewer(named: Partial<LiveViewer> = {}): LiveViewer {
  return {
    picture: () => undefined,
    wantsPicture: () => true,
    scene: () => undefined,
    answersDialogs: false,
    ...named,
  };
}
