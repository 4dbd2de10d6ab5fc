import type { LiveSeat, LiveViewer } from '#browsers/host.ts';
import type { LiveView } from '#browsers/index.ts';
import type { LiveScene } from '#contract/live-messages.ts';
import type { EngineState } from './engine-deps.ts';

/** A viewer of a session. */
export interface SessionViewer {
  readonly viewer: LiveViewer;
  /** Whether the viewer uses the public share, which shows nothing after the first typed secret. */
  readonly isShare: boolean;
}

/** Joins a viewer to the browser of a session; null when the session has no browser in this process now. */
export async function watchSession(
  { sandboxes }: Pick<EngineState, 'sandboxes'>,
  sessionId: string,
  { viewer, isShare }: SessionViewer,
): Promise<LiveView | null> {
  const sandbox = sandboxes.get(sessionId);
  if (sandbox?.browser === undefined) return null;
  const { known, browser } = sandbox;
  const guard = {
    redact: (text: string) => known.redactor().text(text),
    mayShow: () => !isShare || !sandbox.hasTyped,
  };
  return { seat: guardSeat(await browser.watch(guardViewer(viewer, guard)), guard), ended: browser.ended };
}

/** Functions that keep secrets out of the live view of a browser. */
export interface ViewGuard {
  /** Replaces the currently known secret values by placeholders. */
  readonly redact: (text: string) => string;
  /** Returns whether this viewer may see the browser now. Called for each picture and each scene. */
  readonly mayShow: () => boolean;
}

/** Wraps a viewer: redacts secrets in texts, and hides everything while the viewer may not see the browser. */
export function guardViewer(viewer: LiveViewer, { redact, mayShow }: ViewGuard): LiveViewer {
  let isHidden = false;
  const hide = (scene: LiveScene): void => {
    isHidden = true;
    viewer.scene({ ...scene, tabs: [], active: null, dialog: null, trouble: 'hidden' });
  };
  let latest: LiveScene | null = null;
  return {
    answersDialogs: viewer.answersDialogs,
    wantsPicture: () => mayShow() && viewer.wantsPicture(),
    picture(picture) {
      if (mayShow()) viewer.picture(picture);
      else if (!isHidden && latest !== null) hide(latest);
    },
    scene(scene) {
      latest = scene;
      if (mayShow()) viewer.scene(redacted(scene, redact));
      else if (!isHidden) hide(scene);
    },
  };
}

/** Wraps a viewer's actions: redacts secrets in copied text. */
export function guardSeat(seat: LiveSeat, { redact }: ViewGuard): LiveSeat {
  return {
    ...seat,
    async order(order) {
      const text = await seat.order(order);
      return text === null ? null : redact(text);
    },
  };
}

function redacted(scene: LiveScene, redact: (text: string) => string): LiveScene {
  const { tabs, dialog } = scene;
  return {
    ...scene,
    tabs: tabs.map(({ id, title, url }) => ({ id, title: redact(title), url: redact(url) })),
    dialog: dialog && { ...dialog, message: redact(dialog.message), suggestion: redact(dialog.suggestion) },
  };
}
