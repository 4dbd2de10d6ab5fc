import { type JsonObject, type JsonValue, isJsonObject, memberAt, textOf } from '../../core/json.ts';
import { CdpFault } from './cdp-fault.ts';
import { markPage } from './mark-page.ts';
import type { Connect, RawClient } from '../../core/cdp.ts';
import { openWire } from './wire.ts';
import { releaseLimits, within } from './within.ts';

/** Attaches a client that speaks only CDP over one websocket. Throws CdpFault if the browser cannot be reached. */
export const connectRaw: Connect<RawClient> = async (address, limits) => {
  const wire = await openWire(address, limits);
  const call: Call = (method, params = {}, sessionId) =>
    within({ what: method, call: wire.send(method, params, sessionId) }, limits);
  return {
    kind: 'raw',
    evaluate: async (mark, expression) => {
      const targetId = await findPage(call, mark);
      return targetId === undefined ? undefined : evaluateIn(call, targetId, expression);
    },
    open: async (mark) => {
      const created = await call('Target.createTarget', { url: 'about:blank' });
      await evaluateIn(call, textOf(created['targetId']), markPage(mark));
    },
    ping: async () => {
      await call('Browser.getVersion');
    },
    setCookie: async ({ lasts, ...cookie }) => {
      await call('Storage.setCookies', { cookies: [{ ...cookie, path: '/', ...(lasts ? { expires: farAway } : {}) }] });
    },
    cookie: async (name, domain) => {
      const { cookies } = await call('Storage.getCookies');
      const found = (Array.isArray(cookies) ? cookies : []).find(
        (cookie) => memberAt(cookie, 'name') === name && memberAt(cookie, 'domain') === domain,
      );
      return found === undefined ? undefined : textOf(memberAt(found, 'value'));
    },
    closePages: async () => {
      for (const page of await pagesOf(call))
        await call('Target.closeTarget', { targetId: textOf(memberAt(page, 'targetId')) });
    },
    countPages: async () => String((await pagesOf(call)).length),
    departures: {
      leave: () => wire.close(limits),
      close: async () => {
        await wire.closeBrowser(limits);
        await wire.close(limits);
      },
      drop: async () => wire.drop(),
    },
    release: async () => {
      // A closing handshake, because a connection that drops is a thing to judge.
      await wire.close(releaseLimits()).finally(() => wire.drop());
    },
  };
};

/** The beginning of the year 2100 in seconds: browsers keep a cookie as long as they keep any. */
const farAway = 4_102_444_800;

type Call = (method: string, params?: JsonObject, sessionId?: string) => Promise<JsonObject>;

async function findPage(call: Call, mark: string): Promise<string | undefined> {
  const found = (await pagesOf(call)).find((info) => textOf(memberAt(info, 'url')).includes(mark));
  return found === undefined ? undefined : textOf(memberAt(found, 'targetId'));
}

async function pagesOf(call: Call): Promise<JsonValue[]> {
  const { targetInfos } = await call('Target.getTargets');
  return Array.isArray(targetInfos) ? targetInfos.filter((info) => memberAt(info, 'type') === 'page') : [];
}

async function evaluateIn(call: Call, targetId: string, expression: string): Promise<string> {
  const { sessionId } = await call('Target.attachToTarget', { targetId, flatten: true });
  const session = textOf(sessionId);
  const answer = await call('Runtime.evaluate', { expression, returnByValue: true }, session);
  await call('Target.detachFromTarget', { sessionId: session });
  if (isJsonObject(answer['exceptionDetails'])) {
    throw new CdpFault(`Runtime.evaluate failed: ${textOf(memberAt(answer, 'exceptionDetails.text'))}`);
  }
  return textOf(memberAt(answer, 'result.value'));
}
