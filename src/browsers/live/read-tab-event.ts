import { type JsonObject, isJsonObject } from '#lib/json.ts';
import type { LiveDialog } from '#contract/live-messages.ts';

/** A page as `Target.targetCreated` and `Target.targetInfoChanged` tell it. */
export interface PageInfo {
  readonly id: string;
  readonly title: string;
  readonly url: string;
}

/** The page that an event of the Target domain speaks of; null for what is no tab, such as a page that is prerendered. */
export function readPageInfo({ targetInfo }: JsonObject): PageInfo | null {
  if (!isJsonObject(targetInfo) || targetInfo['type'] !== 'page' || targetInfo['subtype'] !== undefined) return null;
  const { targetId, title, url } = targetInfo;
  return typeof targetId === 'string' ? { id: targetId, title: textOf(title), url: textOf(url) } : null;
}

const KINDS = ['alert', 'confirm', 'prompt', 'beforeunload'] as const;
const MESSAGE_LENGTH_MAX = 2_000;

/** What a dialog says, of any kind that a page can open. */
export function readDialog(params: {
  readonly type?: unknown;
  readonly message?: unknown;
  readonly defaultPrompt?: unknown;
}): LiveDialog {
  const kind = KINDS.find((known) => known === params.type) ?? 'alert';
  return {
    kind,
    message: textOf(params.message).slice(0, MESSAGE_LENGTH_MAX),
    suggestion: textOf(params.defaultPrompt).slice(0, MESSAGE_LENGTH_MAX),
  };
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
