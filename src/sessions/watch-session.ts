import type { LiveViewer } from '#browsers/host.ts';
import type { LiveView } from '#browsers/index.ts';
import { guardSeat, guardViewer } from './guard-view.ts';
import type { EngineState } from './parts.ts';

/** Who watches a session. */
export interface SessionViewer {
  readonly viewer: LiveViewer;
  /** True for whoever only has the public share: from the first secret that is typed they see nothing of the browser. */
  readonly isShare: boolean;
}

/** Joins a viewer to the browser of a session; null when it has none now. */
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
