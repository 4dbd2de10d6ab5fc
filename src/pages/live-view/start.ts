import type { LiveMode, LiveReport, LiveScene } from '#contract/live-messages.ts';
import { type ConnectionState, connect } from './connection.ts';
import { needed } from './elements.ts';
import { controlWords, getNotice } from './notice.ts';
import { createScreen } from './screen.ts';
import { createSceneView } from './show-scene.ts';
import { createTools } from './tools.ts';

/** Starts to show the browser of this page's URL. */
export function start(): void {
  const mode: LiveMode = document.body.dataset['mode'] === 'interactive' ? 'interactive' : 'view';
  const stage = needed('stage', HTMLElement);
  let state: ConnectionState = 'connecting';
  let scene: LiveScene | null = null;
  let viewOnlyPath: string | null = null;

  const showNotice = createNoticeView(mode, (does) => {
    if (does === 'reload') connection.send({ type: 'reload' });
    else if (scene?.active != null) connection.send({ type: 'tab', id: scene.active });
  });
  const badge = needed('badge', HTMLElement);
  const showState = (): void => {
    badge.textContent = controlWords(mode, state, scene);
    showNotice(getNotice(state, scene));
  };
  const screen = createScreen(needed('picture', HTMLCanvasElement), stage, (picture) =>
    connection.send({ type: 'ack', picture }),
  );
  const view = createSceneView(mode, (order) => connection.send(order));
  const report = (told: LiveReport): void => {
    if (told.type === 'copied') tools?.copied(told.text);
    if (told.type !== 'scene') return;
    ({ scene, viewOnlyPath } = told);
    if (scene.trouble === 'hidden') screen.blank();
    view.show(scene);
    showState();
  };
  const connection = connect({
    report,
    picture: (message) => screen.take(message),
    state(now) {
      state = now;
      if (now !== 'open') {
        scene = null;
        tools?.disconnected();
      }
      showState();
    },
  });
  const tools =
    mode === 'view'
      ? null
      : createTools({
          screen,
          stage,
          send: (wish) => connection.send(wish),
          // Relative to the URL of this page, so that it works below any path prefix.
          viewOnlyAddress: () => viewOnlyPath && new URL(viewOnlyPath.split('/').at(-1) ?? '', location.href).href,
        });
}

type Action = NonNullable<NonNullable<ReturnType<typeof getNotice>>['action']>['does'];

function createNoticeView(mode: LiveMode, act: (does: Action) => void): (notice: ReturnType<typeof getNotice>) => void {
  const cover = needed('notice', HTMLElement);
  const text = needed('notice-text', HTMLElement);
  const button = needed('notice-action', HTMLButtonElement);
  let does: Action | null = null;
  button.addEventListener('click', () => does !== null && act(does));
  return (notice) => {
    cover.hidden = notice === null;
    text.textContent = notice?.text ?? '';
    does = notice?.action?.does ?? null;
    button.textContent = notice?.action?.name ?? '';
    button.hidden = does === null || mode === 'view';
  };
}
