import { type JsonValue, isJsonObject } from '#lib/json.ts';
import type { CdpMessage } from '../pipe/cdp-message.ts';

/** Sees what one client sends and receives. */
export interface FrontWatch {
  sent(message: CdpMessage): void;
  received(message: CdpMessage): void;
}

/** Tells which tab a client brings to the front: Chromium tells nobody, and without a window shows no difference. */
export function followFronts(fronted: (targetId: string) => void): FrontWatch {
  const targets = new Map<string, string>();
  return {
    sent({ method, params = {}, sessionId = '' }) {
      const id = method === 'Target.activateTarget' ? params['targetId'] : undefined;
      if (typeof id === 'string') fronted(id);
      const target = method === 'Page.bringToFront' ? targets.get(sessionId) : undefined;
      if (target !== undefined) fronted(target);
    },
    received({ method, params = {} }) {
      const { sessionId, targetInfo } = params;
      if (typeof sessionId !== 'string') return;
      if (method === 'Target.detachedFromTarget') targets.delete(sessionId);
      if (method !== 'Target.attachedToTarget' || !isJsonObject(targetInfo)) return;
      if (targetInfo['type'] === 'page') targets.set(sessionId, textOf(targetInfo['targetId']));
    },
  };
}

function textOf(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value : '';
}
