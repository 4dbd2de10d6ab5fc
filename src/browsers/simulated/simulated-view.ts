import type { Tab } from '../tab/tab.ts';
import type { LiveSeat, LiveViewer } from '../live/live-viewer.ts';
import { placeholderFrame } from './placeholder-frame.ts';

const SCREEN = { width: 1280, height: 800 };
const ID = 'SIMULATED-PAGE';

/** Shows the one tab of a simulated browser as it is now: a placeholder, its title and address. What is done to it has no effect. */
export async function watchSimulated(tab: Pick<Tab, 'url' | 'title'>, viewer: LiveViewer): Promise<LiveSeat> {
  const page = { id: ID, title: await tab.title(), url: await tab.url() };
  const nothing = { dialog: null, trouble: null, canResize: false };
  viewer.scene({ tabs: [page], active: ID, ...nothing, isSimulated: true });
  viewer.picture({ jpeg: placeholderFrame(), ...SCREEN });
  return {
    wanted: () => undefined,
    input: () => undefined,
    order: async ({ type }) => (type === 'copy' ? '' : null),
    leave: async () => undefined,
  };
}
