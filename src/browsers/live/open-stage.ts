import type { LiveOrder, LiveScene } from '#contract/live-messages.ts';
import type { CdpMessage } from '../pipe/cdp-message.ts';
import { openCommandChannel } from '../pipe/command-channel.ts';
import { createCast } from './cast.ts';
import { followTabs } from './follow-tabs.ts';
import type { LivePicture } from './live-viewer.ts';
import { obey } from './obey.ts';
import type { Ask, StageParts } from './stage-parts.ts';
import { type StageTab, createTabList, sceneOf } from './tab-list.ts';

/** Who is told what happens on a stage. */
export interface StageListener {
  picture(picture: LivePicture): void;
  scene(scene: LiveScene): void;
  isWanted(): boolean;
}

/** A browser while it is watched. */
export interface Stage {
  scene(): LiveScene;
  /** The picture that was shown last; null when there is none. */
  picture(): LivePicture | null;
  /** The tab in front. */
  active(): StageTab | null;
  /** A client has brought a tab to the front. */
  toFront(id: string): void;
  wanted(): void;
  readonly ask: Ask;
  /** Does what a viewer orders; answers the selected text for `copy`, else null. */
  order(order: LiveOrder): Promise<string | null>;
  close(): Promise<void>;
}

const TITLE_INTERVAL_MS = 1_000;
/** Events of a page that there is more to see of it than before. */
const loads: ReadonlySet<string> = new Set(['Page.domContentEventFired', 'Page.loadEventFired']);

/** Begins to watch all tabs of a browser; nothing of it takes the focus. Rejects when the browser has ended. */
export async function openStage(parts: StageParts, listener: StageListener): Promise<Stage> {
  const tabs = createTabList();
  let [told, isOpen] = ['', false];
  const channel = await openCommandChannel(parts.mux, (event) => onEvent(event));
  const ask: Ask = async (session, method, params = {}) => {
    const reply = await channel.ask({ method, params, ...(session === null ? {} : { sessionId: session }) });
    return reply.result ?? {};
  };
  const cast = createCast({
    // `ask` does not reject.
    command: (session, method, params) => void ask(session, method, params),
    show: (picture) => listener.picture(picture),
    isWanted: () => listener.isWanted(),
  });
  const changed = (): void => {
    // Nothing is shown before it is known which tab is in front.
    if (!isOpen) return;
    cast.follow(tabs.active()?.session ?? null);
    const scene = sceneOf(tabs, parts.canResize);
    const text = JSON.stringify(scene);
    if (text === told) return;
    told = text;
    listener.scene(scene);
  };
  const follower = followTabs({ tabs, ask, changed });
  const onEvent = (event: CdpMessage): void => {
    const { method = '', sessionId = '', params = {} } = event;
    if (method === 'Page.screencastFrame') return cast.take(sessionId, params);
    if (loads.has(method)) cast.loaded(sessionId);
    follower.take(event);
  };

  await ask(null, 'Target.setDiscoverTargets', { discover: true, filter: [{ type: 'page' }] });
  await follower.attached();
  await follower.recall(parts.earlier());
  isOpen = true;
  changed();
  const titles = setInterval(() => void follower.refresh(), TITLE_INTERVAL_MS);
  return {
    scene: () => sceneOf(tabs, parts.canResize),
    picture: () => cast.last(),
    active: () => tabs.active(),
    toFront(id) {
      tabs.toFront(id);
      changed();
    },
    wanted: () => cast.wanted(),
    ask,
    order: (order) => obey({ tabs, ask, changed }, order, parts.canResize),
    async close() {
      clearInterval(titles);
      cast.follow(null);
      await channel.close();
    },
  };
}
