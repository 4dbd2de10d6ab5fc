import type { LiveMode, LiveScene, LiveTrouble } from '#contract/live-messages.ts';
import type { ConnectionState } from './connection.ts';

/** A notice over the picture when the picture is missing or outdated. */
export interface Notice {
  readonly text: string;
  /** A suggested action, for viewers that may perform it; null without one. */
  readonly action: { readonly name: string; readonly does: 'reload' | 'front' } | null;
}

const states: Readonly<Record<Exclude<ConnectionState, 'open'>, string>> = {
  connecting: 'Connecting…',
  lost: 'The connection is lost. Trying again…',
  gone: 'The browser is not running: it is still starting, or waits for its next task.',
  ended: 'The browser has ended.',
};

const troubles: Readonly<Record<LiveTrouble, Notice>> = {
  crashed: { text: 'This page has crashed.', action: { name: 'Load it again', does: 'reload' } },
  background: {
    text: 'This tab is in the background, where it is not painted.',
    action: { name: 'Bring it to the front', does: 'front' },
  },
  hidden: { text: 'The browser is not shown any more, because a secret was typed into it.', action: null },
};

/** Returns the notice over the picture; null without one. */
export function getNotice(state: ConnectionState, scene: LiveScene | null): Notice | null {
  if (state !== 'open') return { text: states[state], action: null };
  if (scene === null) return { text: states.connecting, action: null };
  if (scene.trouble !== null) return troubles[scene.trouble];
  return scene.active === null ? { text: 'No tab is open.', action: null } : null;
}

/**
 * Returns a text about what a viewer can do now, such as `View only`. The text mentions control only while input
 * reaches a page.
 */
export function controlWords(mode: LiveMode, state: ConnectionState, scene: LiveScene | null): string {
  if (scene?.isSimulated === true) return 'Simulated browser: nothing you do has an effect';
  if (mode === 'view') return 'View only';
  if (state !== 'open' || scene === null) return 'Not connected';
  return scene.active === null || scene.trouble !== null ? 'Not in control' : 'You are in control';
}

/**
 * Returns the http or https address that a viewer typed, completed with `https://` (`http://` for this machine); null
 * for any other text.
 */
export function typedAddress(typed: string): string | null {
  const text = typed.trim();
  const isLocal = /^(localhost|127\.|\[::1\])/i.test(text);
  const hasScheme = /^[a-z][a-z\d+.-]*:(?!\d)/i.test(text);
  const full = hasScheme ? text : `${isLocal ? 'http' : 'https'}://${text}`;
  if (text === '' || /\s/.test(text) || !URL.canParse(full)) return null;
  const { href, protocol } = new URL(full);
  return (protocol === 'http:' || protocol === 'https:') && href.length <= 2_000 ? href : null;
}
