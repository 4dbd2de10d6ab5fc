import { type Check, type CheckContext, check } from '../../core/check.ts';
import { memberAt, textOf } from '../../core/json.ts';
import { createRandom, randomUuid } from '../../core/random.ts';
import { itemsOf } from '../common/followed-pages.ts';
import { type RunDesk, runDesk } from './scenarios-members.ts';
import { byteLength } from '../workspaces/stored-files.ts';
import { show } from '../common/session-records.ts';
import { seenOf } from './checks-part-run-desk.ts';
import { idsOf, isSame, judged } from '../common/checks-part-seen.ts';

/** Attachments of V4 runs. */
export const runAttachmentChecks: readonly Check[] = [
  desk('V4-ATTACH-01', (t, { attached: { ids, papers, pending, uploaded } }) => {
    const lists = [
      { exchange: pending, states: ['pending', 'uploaded'] },
      { exchange: uploaded, states: ['uploaded', 'uploaded'] },
    ];
    for (const { exchange, states } of lists) {
      for (const [index, { name, contentType, text }] of papers.entries()) {
        const shown = itemsOf(exchange, 'attachments').find(({ id }) => id === ids[index]);
        const want = {
          id: ids[index] ?? '',
          name,
          contentType,
          sizeBytes: byteLength(text),
          status: states[index] ?? '',
        };
        const wrong = Object.entries(want).filter(([member, value]) => shown?.[member] !== value);
        const message = `an attachment is shown as ${show(shown)}; expected ${show(want)}`;
        t.expect(wrong.length === 0, { exchange, message });
      }
    }
  }),
  desk('V4-ATTACH-02', (t, { attached: { ids, uploaded, record } }) => {
    const shown = idsOf(itemsOf(uploaded, 'attachments'));
    const message = `attachments are listed as ${show(shown)}; expected ${show([...ids])}`;
    t.expect(isSame(shown, [...ids]), { exchange: uploaded, message });
    judged(t, record, 'a V4 run').member('attachedFileIds', [...ids]);
  }),
  desk('V4-ATTACH-03', (t, { attached: { ids, unknownId, named, uploaded, record } }) => {
    judged(t, named, 'a V4 run with a file id that nobody has').taken();
    judged(t, named, 'missingFileIds').ids({ shown: textsAt(named.json, 'missingFileIds'), want: [unknownId] });
    const listed = idsOf(itemsOf(uploaded, 'attachments'));
    judged(t, uploaded, 'the list of attachments').ids({ shown: listed, want: ids });
    judged(t, record, 'attachedFileIds').ids({ shown: textsAt(record.json, 'attachedFileIds'), want: ids });
  }),
  desk('V4-ATTACH-04', (t, { equipped }) => {
    const { record, attachments } = seenOf(t, equipped);
    const ids = textsAt(record.json, 'attachedFileIds');
    const message = `the next run of a session has the attachments ${show(ids)}; expected none`;
    t.expect(ids.length === 0, { exchange: record, message });
    judged(t, attachments, 'the list of the next run').member('attachments', []);
  }),
  desk('V4-ATTACH-05', (t, { attached: { papers, record } }) => {
    if (t.target.tasks.readFile === null)
      t.notTestable('the target file names no goal that reads a file (tasks.readFile)');
    const result = textOf(memberAt(record.json, 'result') ?? '');
    const message = `a V4 run that reads ${papers[1].name} has the result ${show(result)}; expected ${papers[1].text}`;
    t.expect(result.includes(papers[1].text), { exchange: record, message });
  }),
  check('V4-ATTACH-06', {}, async (t) => {
    const path = [randomUuid(createRandom(t.seed))];
    const exchange = await t.operations.call('v4.listAttachments', { path });
    judged(t, exchange, 'the attachments of a V4 run that does not exist').status(404);
  }),
  desk('V4-ATTACH-07', (t, { equipped: { created, missing }, refused }) => {
    judged(t, created, 'a V4 run with 20 attached files').taken();
    judged(t, created, 'missingFileIds').ids({ shown: textsAt(created.json, 'missingFileIds'), want: missing });
    judged(t, refused.files, 'a V4 run with 21 attached files').status(422);
  }),
  desk('V4-ATTACH-08', (t, { refused }) => {
    judged(t, refused.messageFiles, 'a message with 21 attached files').status(422);
  }),
];

function textsAt(json: RunDesk['session']['json'], member: string): string[] {
  const values = memberAt(json, member);
  return Array.isArray(values) ? values.map((value) => textOf(value)) : [];
}

function desk(id: Check['id'], judge: (t: CheckContext, recording: RunDesk) => void): Check {
  return check(id, { needs: [runDesk] }, async (t) => judge(t, await t.recording(runDesk)));
}
