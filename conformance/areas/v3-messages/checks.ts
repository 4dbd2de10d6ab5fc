import { type Check, type CheckContext, check } from '../../core/check.ts';
import type { Exchange } from '../../core/exchange.ts';
import { type JsonObject, memberAt, toText, isSame } from '../../core/json.ts';
import { listItems, listAllItems } from '../../common/followed-pages.ts';
import { keptSession } from '../v3-sessions/scenarios-kept.ts';
import type { MessageReads, SessionMessages } from './scenarios.ts';
import { show } from '../../core/text.ts';
import { listIds, judged, required } from '../../common/judgement.ts';
import { withoutScreenshot } from '../../common/signed-urls.ts';

/** Checks of the messages of a V3 session. */
export const sessionMessageChecks: readonly Check[] = [
  check('V3-MSG-01', { needs: [keptSession] }, async (t) => {
    const { first } = await t.recording(keptSession);
    const { reads: messages } = await readMessages(t);
    const [task, ...rest] = listItems(messages.all, 'messages');
    const exchange = messages.all;
    const message = `the first message is ${show(task)}; expected the task, from a human`;
    const holds = task?.['role'] === 'human' && toText(task['data']).includes(toText(first.request['task']));
    t.expect(holds, { exchange, message });
    t.expect(rest.length > 0, {
      exchange,
      message: 'a task has ended and left no message of the agent; expected at least one',
    });
    for (const { role, sessionId } of rest) {
      const told = `a message of the agent has the role ${show(role)} and the session ${show(sessionId)}; expected "ai" and ${show(first.id)}`;
      t.expect(role === 'ai' && sessionId === first.id, { exchange, message: told });
    }
  }),
  check('V3-MSG-02', { needs: [keptSession] }, async (t) => {
    const { reads: messages, all, behind } = await readMessages(t);
    const order = listIds(listItems(all, 'messages'));
    for (const page of [...listPages(messages), all, behind]) {
      const shown = listItems(page, 'messages');
      const times = shown.map((message) => Date.parse(toText(message['createdAt'])));
      const rising = times.every((time, index) => index === 0 || time >= (times[index - 1] ?? time));
      const places = listIds(shown).map((id) => order.indexOf(id));
      const kept = places.every((place, index) => index === 0 || place > (places[index - 1] ?? -1));
      const message = `a page shows messages of ${shown.map(({ createdAt }) => toText(createdAt)).join(', ')} in another order; expected the oldest first, in the order of the whole list`;
      t.expect(rising && kept, { exchange: page, message });
    }
  }),
  check('V3-MSG-03', { needs: [keptSession] }, async (t) => {
    const { reads, behind } = await readMessages(t);
    const { forwards, all } = reads;
    const ids = listIds(listItems(all, 'messages'));
    const again = listIds(listItems(behind, 'messages')).find((id) => ids.includes(id));
    const repeated = `the page after message ${ids.at(-1)}, read after a follow-up, shows the earlier message ${again}; expected later messages alone`;
    t.expect(again === undefined, { exchange: behind, message: repeated });
    const [page] = forwards;
    if (page === undefined) return;
    const [shown] = listIds(listItems(page, 'messages'));
    t.expect(shown === ids[1], {
      exchange: page,
      message: `the page after message ${ids[0]} begins with ${shown}; expected ${ids[1]}`,
    });
  }),
  check('V3-MSG-04', { needs: [keptSession] }, async (t) => {
    const { forwards, all } = (await readMessages(t)).reads;
    const [, ...want] = listIds(listItems(all, 'messages'));
    const [page] = forwards;
    if (page === undefined) return;
    for (const exchange of forwards) judged(t, exchange, 'a page of messages').status(200);
    judged(t, page, 'page after page with after').ids({ shown: listIds(listAllItems(forwards, 'messages')), want });
  }),
  check('V3-MSG-05', { needs: [keptSession] }, async (t) => {
    const { end } = (await readMessages(t)).reads;
    judged(t, end, 'the page behind the last message').member('messages', []);
    judged(t, end, 'the page behind the last message').member('hasMore', false);
  }),
  check('V3-MSG-06', { needs: [keptSession] }, async (t) => {
    const { all, newest, newestTwo } = (await readMessages(t)).reads;
    const ids = listIds(listItems(all, 'messages'));
    judged(t, newest, 'the newest message').ids({ shown: listIds(listItems(newest, 'messages')), want: ids.slice(-1) });
    judged(t, newestTwo, 'the newest two').ids({
      shown: listIds(listItems(newestTwo, 'messages')),
      want: ids.slice(-2),
    });
  }),
  check('V3-MSG-07', { needs: [keptSession] }, async (t) => {
    const { all, backwards } = (await readMessages(t)).reads;
    const ids = listIds(listItems(all, 'messages'));
    const shown = listIds(listAllItems(backwards, 'messages'));
    const exchange = backwards[0] ?? all;
    const message = `pages before message ${ids.at(-1)} show it again; expected only earlier messages`;
    t.expect(!shown.includes(ids.at(-1) ?? ''), { exchange, message });
    judged(t, exchange, 'page after page with before').ids({ shown: [...new Set(shown)], want: ids.slice(0, -1) });
  }),
  check('V3-MSG-08', { needs: [keptSession] }, async (t) => {
    const { all, forwards, newest } = (await readMessages(t)).reads;
    const count = listItems(all, 'messages').length;
    for (const [index, page] of forwards.entries())
      judged(t, page, `page ${index + 1} of ${count - 1} with after`).member('hasMore', index + 2 < count);
    judged(t, newest, 'the page of the newest message').member('hasMore', count > 1);
  }),
  check('V3-MSG-09', { needs: [keptSession] }, async (t) => {
    const { behind, followUp } = await readMessages(t);
    const [task] = listItems(behind, 'messages');
    const holds = task?.['role'] === 'human' && toText(task['data']).includes(toText(followUp.request['task']));
    const message = `behind the newest message before a follow-up stands ${show(task)}; expected the task`;
    t.expect(holds, { exchange: behind, message });
  }),
  check('V3-MSG-10', { needs: [keptSession] }, async (t) => {
    const { reads: messages, all, ended } = await readMessages(t);
    allStay(t, messages.all, all);
    // More messages than one page holds push the oldest messages off the page.
    if (ended !== undefined && memberAt(ended.json, 'hasMore') === false) allStay(t, all, ended);
  }),
];

/** Returns the messages of the session of `keptSession`. Ends the check as not testable if they were not read. */
async function readMessages(t: CheckContext): Promise<SessionMessages> {
  t.operations.need('v3.listMessages');
  const { messages } = await t.recording(keptSession);
  return required(t, messages, 'the session was not kept, or took no follow-up that has ended');
}

/** Judges that a later read shows every message of an earlier read unchanged. */
function allStay(t: CheckContext, earlier: Exchange, later: Exchange): void {
  const shown = new Map(listItems(later, 'messages').map((message) => [message['id'], message]));
  for (const message of listItems(earlier, 'messages'))
    stays(t, later, { message, later: shown.get(message['id'] ?? '') });
}

/**
 * Returns the pages whose order is judged: all pages except those that were requested with `before`, for which the
 * contract states no order.
 */
function listPages({ all, newestTwo, forwards, end }: MessageReads): Exchange[] {
  return [all, newestTwo, ...forwards, end];
}

function stays(
  t: CheckContext,
  exchange: Exchange,
  { message, later }: { message: JsonObject; later: JsonObject | undefined },
): void {
  const told = `the message ${show(withoutScreenshot(message))} is ${show(withoutScreenshot(later))} in a later read; expected no change`;
  t.expect(isSame(withoutScreenshot(message), withoutScreenshot(later)), { exchange, message: told });
}
