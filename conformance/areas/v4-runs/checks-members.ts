import { check, type Check, type CheckContext } from '../../core/check.ts';
import { isJsonObject, type JsonObject, type JsonValue, memberAt, toText, isSame } from '../../core/json.ts';
import { createRandom, randomUuid } from '../../core/random.ts';
import { createText, show } from '../../core/text.ts';
import { listItems } from '../../common/followed-pages.ts';
import { runProbe } from '../../common/probe-bodies.ts';
import { runMembers, type RunMembers, type SeenRun } from './scenarios-members.ts';
import { listIds, judged, required } from '../../common/judgement.ts';
import { byteLength } from '../../common/workspace-files.ts';

/** Checks of the optional members of a V4 run. */
export const runMemberChecks: readonly Check[] = [
  membersCheck('V4-MEMBER-01', (t, { workspaceId, attached, session }) => {
    for (const exchange of [attached.created, attached.record, session])
      judged(t, exchange, 'a V4 run or session that was created with a workspace').member('workspaceId', workspaceId);
  }),
  membersCheck('V4-MEMBER-02', (t, { elsewhere }) => {
    judged(t, elsewhere, 'a V4 run that continues a session in another workspace').status(400);
  }),
  check('V4-MEMBER-03', {}, async (t) => {
    const body = { ...runProbe(t.target), workspaceId: randomUuid(createRandom(t.seed)) };
    const exchange = await t.operations.probe('run', 'v4.createRun', { body });
    judged(t, exchange, 'a V4 run for a workspace that does not exist').status(404);
  }),
  membersCheck('V4-MEMBER-04', (t, { equipped }) => {
    const reason = 'the target file names no structured goal (tasks.structured)';
    const outputSchema = required(t, equipped.outputSchema, reason);
    const { record } = requireSeenRun(t, equipped);
    if (memberAt(record.json, 'status') !== 'completed') t.notTestable('the structured run did not reach its goal');
    const output = memberAt(record.json, 'output');
    const message = `output of a V4 run is ${show(output)}; expected an object whose title is a text`;
    t.expect(isJsonObject(output) && typeof output['title'] === 'string', { exchange: record, message });
    judged(t, record, 'a V4 run that was created with outputSchema').member('outputSchema', outputSchema);
  }),
  membersCheck('V4-MEMBER-05', (t, { attached: { record } }) => {
    const output = memberAt(record.json, 'output') ?? null;
    const message = `output of a V4 run without outputSchema is ${show(output)}; expected null`;
    t.expect(output === null, { exchange: record, message });
  }),
  membersCheck('V4-MEMBER-06', (t, { refused }) => {
    judged(t, refused.messageMember, 'a message with a member that no document has').status(422);
  }),
  check('V4-MEMBER-07', {}, async (t) => {
    for (const wrong of wrongRuns) {
      const body = { ...runProbe(t.target), ...wrong };
      const exchange = await t.operations.probe('run', 'v4.createRun', { body });
      judged(t, exchange, `a V4 run with ${show(wrong)}`).status(422);
    }
  }),
  membersCheck('V4-MEMBER-08', (t, { equipped }) => {
    judged(t, equipped.created, 'a V4 run with a judge and a mailbox').taken();
    if (equipped.seen === undefined) return;
    const { record } = equipped.seen;
    const judgement = memberAt(record.json, 'judgement') ?? null;
    const message = `judgement of a V4 run is ${show(judgement)}; expected null or an object`;
    t.expect(judgement === null || isJsonObject(judgement), { exchange: record, message });
  }),
  membersCheck('EVT-17', (t, { written }) => {
    const { file, events } = required(t, written, 'the target file names no goal that writes a file (tasks.writeFile)');
    const named = listItems(events, 'events').some(({ data }) => valuesIn(data).some((value) => value.endsWith(file)));
    t.expect(named, {
      exchange: events,
      message: `no event of a V4 run that wrote ${file} has a member that names it; expected at least one`,
    });
  }),
  membersCheck('V4-MEMBER-09', (t, { equipped }) => {
    const { record, events } = requireSeenRun(t, equipped);
    const [whole, short] = [events.whole, events.short].map((page) => listItems(page, 'events'));
    const same = isSame(listIds(whole ?? []), listIds(short ?? []));
    const message =
      'the list of events without output has other events than the list with output; expected the same events';
    t.expect(same && whole?.length !== 0, { exchange: events.short, message });
    const result = toText(memberAt(record.json, 'result') ?? '');
    const shown = result !== '' && toText(short?.at(-1)?.['data']).includes(JSON.stringify(result).slice(1, -1));
    const told = `the last event without output shows the result ${show(result)}; expected that it does not`;
    t.expect(!shown, { exchange: events.short, message: told });
  }),
];

/** Returns the observed run with all options. Ends the check as not testable if the run was refused. */
function requireSeenRun(t: CheckContext, { seen }: RunMembers['equipped']): SeenRun {
  return required(t, seen, 'the run that asks for more than its goal was refused');
}

/** Returns all strings in a value, at any depth. */
function valuesIn(value: JsonValue | undefined): string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(valuesIn) : [];
}

const proxy = { host: 'proxy.example.com', port: 8080 };

/** Custom proxies with a value out of bounds or a missing member, for every operation with a custom proxy. */
export const wrongProxies: readonly JsonObject[] = [
  { ...proxy, host: '' },
  { ...proxy, host: createText(256) },
  { ...proxy, port: 0 },
  { ...proxy, port: 65_536 },
  { ...proxy, username: '' },
  { ...proxy, password: createText(256) },
  { host: proxy.host },
  { port: proxy.port },
];

const wrongRuns: readonly JsonObject[] = [
  { judge: { context: createText(10_001) } },
  { judge: true },
  { judge: 'always' },
  ...wrongProxies.map((customProxy) => ({ browserSettings: { customProxy } })),
];

/** Creates a check of the recording `runMembers`. */
function membersCheck(id: Check['id'], judge: (t: CheckContext, recording: RunMembers) => void): Check {
  return check(id, { needs: [runMembers] }, async (t) => judge(t, await t.recording(runMembers)));
}

/** Checks of attachments of V4 runs. */
export const runAttachmentChecks: readonly Check[] = [
  membersCheck('V4-ATTACH-01', (t, { attached: { ids, samples, pending, uploaded } }) => {
    const lists = [
      { exchange: pending, states: ['pending', 'uploaded'] },
      { exchange: uploaded, states: ['uploaded', 'uploaded'] },
    ];
    for (const { exchange, states } of lists) {
      for (const [index, { name, contentType, text }] of samples.entries()) {
        const shown = listItems(exchange, 'attachments').find(({ id }) => id === ids[index]);
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
  membersCheck('V4-ATTACH-02', (t, { attached: { ids, uploaded, record } }) => {
    const shown = listIds(listItems(uploaded, 'attachments'));
    const message = `attachments are listed as ${show(shown)}; expected ${show([...ids])}`;
    t.expect(isSame(shown, [...ids]), { exchange: uploaded, message });
    judged(t, record, 'a V4 run').member('attachedFileIds', [...ids]);
  }),
  membersCheck('V4-ATTACH-03', (t, { attached: { ids, unknownId, named, uploaded, record } }) => {
    judged(t, named, 'a V4 run with an unknown file id').taken();
    judged(t, named, 'missingFileIds').ids({ shown: textsAt(named.json, 'missingFileIds'), want: [unknownId] });
    const listed = listIds(listItems(uploaded, 'attachments'));
    judged(t, uploaded, 'the list of attachments').ids({ shown: listed, want: ids });
    judged(t, record, 'attachedFileIds').ids({ shown: textsAt(record.json, 'attachedFileIds'), want: ids });
  }),
  membersCheck('V4-ATTACH-04', (t, { equipped }) => {
    const { record, attachments } = requireSeenRun(t, equipped);
    const ids = textsAt(record.json, 'attachedFileIds');
    const message = `the next run of a session has the attachments ${show(ids)}; expected none`;
    t.expect(ids.length === 0, { exchange: record, message });
    judged(t, attachments, 'the list of the next run').member('attachments', []);
  }),
  membersCheck('V4-ATTACH-05', (t, { attached: { samples, word, record } }) => {
    if (t.target.tasks.readFile === null)
      t.notTestable('the target file names no goal that reads a file (tasks.readFile)');
    const result = toText(memberAt(record.json, 'result') ?? '');
    const message = `a V4 run that reads ${samples[1].name} has the result ${show(result)}; expected ${samples[1].text}, with the word ${word}`;
    t.expect(result.includes(word), { exchange: record, message });
  }),
  check('V4-ATTACH-06', {}, async (t) => {
    const path = [randomUuid(createRandom(t.seed))];
    const exchange = await t.operations.call('v4.listAttachments', { path });
    judged(t, exchange, 'the attachments of a V4 run that does not exist').status(404);
  }),
  membersCheck('V4-ATTACH-07', (t, { equipped: { created, missing }, refused }) => {
    judged(t, created, 'a V4 run with 20 attached files').taken();
    judged(t, created, 'missingFileIds').ids({ shown: textsAt(created.json, 'missingFileIds'), want: missing });
    judged(t, refused.files, 'a V4 run with 21 attached files').status(422);
  }),
  membersCheck('V4-ATTACH-08', (t, { refused }) => {
    judged(t, refused.messageFiles, 'a message with 21 attached files').status(422);
  }),
];

function textsAt(json: RunMembers['session']['json'], member: string): string[] {
  const values = memberAt(json, member);
  return Array.isArray(values) ? values.map((value) => toText(value)) : [];
}
