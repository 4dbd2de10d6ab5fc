import { type JsonObject, type JsonValue, isJsonObject } from '#lib/json.ts';

/** A selection of more characters is cut. */
const TEXT_LENGTH_MAX = 500_000;
/** A world of our own, so that the page's scripts do not decide what is read. */
const WORLD = 'svc-live-view';
/** Follows the focus into frames of the same origin. Fields for passwords give bullets. */
const EXPRESSION = `(() => {
  let view = window;
  for (;;) {
    const inner = view.document.activeElement;
    if (!inner || !inner.contentDocument) break;
    view = inner.contentWindow;
  }
  return String(view.getSelection()).slice(0, ${TEXT_LENGTH_MAX});
})()`;

/** The text that is selected in a page; empty when there is none, or the page is gone or does not say. */
export async function selectedText(ask: (method: string, params?: JsonObject) => Promise<JsonObject>): Promise<string> {
  const frame = memberOf(memberOf(await ask('Page.getFrameTree'), 'frameTree'), 'frame');
  const frameId = memberOf(frame, 'id') ?? '';
  const world = await ask('Page.createIsolatedWorld', { frameId, worldName: WORLD });
  const contextId = memberOf(world, 'executionContextId') ?? 0;
  const value = memberOf(
    memberOf(await ask('Runtime.evaluate', { expression: EXPRESSION, contextId }), 'result'),
    'value',
  );
  return typeof value === 'string' ? value.slice(0, TEXT_LENGTH_MAX) : '';
}

function memberOf(value: JsonObject | JsonValue | undefined, name: string): JsonValue | undefined {
  return isJsonObject(value) ? value[name] : undefined;
}
