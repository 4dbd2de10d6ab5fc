import { type Check, type CheckContext, check } from '../../core/check.ts';
import { type Exchange, describeAnswer, refused, succeeded } from '../../core/exchange.ts';
import { type JsonValue, isJsonObject, memberAt, toText } from '../../core/json.ts';
import { createRandom, randomUuid } from '../../core/random.ts';
import { type TaskOptionsRecording, taskOptions } from '../v2-tasks/scenarios-options.ts';
import type { FormLife, FormTry } from '../../common/upload-forms.ts';
import { show } from '../../core/text.ts';
import { judged, required, notFound } from '../../common/judgement.ts';

const noWriting = 'the target file names no goal that writes a file (tasks.writeFile)';

/** Checks of files of V2 sessions and tasks. */
export const uploadFormChecks: readonly Check[] = [
  forms('V2-FILE-01', (t, { form }) => expectForm(t, form.asked)),
  forms('V2-FILE-02', (t, { form }) => judged(t, form.asked, 'a form for an upload').member('expiresIn', 120)),
  forms('V2-FILE-03', (t, { stored }) => accepts(t, stored)),
  forms('V2-FILE-04', (t, { missing }) => refuses(t, missing, 'a form without')),
  forms('V2-FILE-05', (t, { changed }) => refuses(t, changed, 'a form with')),
  forms('V2-FILE-06', (t, { sizes }) => refuses(t, sizes, 'a form with')),
  forms('V2-FILE-07', (t, { refused: probes }) => {
    for (const { what, exchange } of probes) judged(t, exchange, `a form for ${what}`).status(422);
  }),
  forms('V2-FILE-08', (t, { unlisted }) => judged(t, unlisted, 'a form for an unlisted content type').status(400, 422)),
  check('V2-FILE-09', {}, async (t) => {
    const body = { fileName: 'svc-check.txt', contentType: 'text/plain', sizeBytes: 1 };
    const path = [randomUuid(createRandom(t.seed))];
    notFound(t, await t.operations.call('v2.createSessionUpload', { path, body }), 'Session not found');
  }),
  filesCheck('V2-FILE-10', (t, { read, forms: { file } }) => {
    const reason = 'the target file names no goal that reads a file (tasks.readFile)';
    const last = required(t, read?.records.at(-1), reason);
    const output = toText(last.result);
    const word = file.text.split('\n').at(-1) ?? '';
    const message = `the output of a task that reads ${file.fileName} is ${show(output)}; expected the text of the file with its last word, ${word}`;
    t.expect(output.includes(word), { exchange: last.exchange, message });
  }),
  filesCheck('V2-FILE-11', (t, recording) => {
    const written = required(t, recording.written, noWriting);
    const { task, file, text, listed, asked, opened } = written;
    const record = task.records.at(-1)?.exchange;
    const files = memberAt(record?.json, 'outputFiles');
    const absent = `a task that wrote ${file} has the output files ${show(files)}; expected it among them`;
    t.expect(listed !== undefined, { exchange: record, message: absent });
    if (asked === undefined) return;
    for (const member of ['id', 'fileName'])
      judged(t, asked, 'an output file').member(member, listed?.[member] ?? null);
    const bytes = `the address of an output file shows ${show(opened?.body)}; expected ${text}`;
    const holds = opened !== undefined && succeeded(opened) && opened.body.includes(text);
    t.expect(holds, { exchange: opened ?? asked, message: bytes });
  }),
  filesCheck('V2-FILE-12', (t, recording) => {
    const written = required(t, recording.written, noWriting);
    notFound(t, written.unknownFile, 'Output file not found');
    judged(t, written.unknownTask, 'an output file of a task that does not exist').status(404);
    if (written.ofAnother !== undefined) notFound(t, written.ofAnother, 'Output file not found');
  }),
];

/** Judges an upload form: its status, method, URL, fields, file name and expiry. */
export function expectForm(t: CheckContext, exchange: Exchange): void {
  judged(t, exchange, 'a request for a form').status(200);
  judged(t, exchange, 'a form for an upload').member('method', 'POST');
  for (const { member, want, fits } of formMembers) {
    const value = memberAt(exchange.json, member);
    const message = `${member} of a form for an upload is ${show(value)}; expected ${want}`;
    t.expect(fits(value), { exchange, message });
  }
}

/** Members of an upload form, and what each of them must be. */
const formMembers: readonly { member: string; want: string; fits: (value: JsonValue | undefined) => boolean }[] = [
  { member: 'url', want: 'a URL', fits: (value) => typeof value === 'string' && URL.canParse(value) },
  {
    member: 'fields',
    want: 'an object of texts',
    fits: (value) => isJsonObject(value) && Object.values(value).every((field) => typeof field === 'string'),
  },
  { member: 'fileName', want: 'a name', fits: (value) => typeof value === 'string' && value !== '' },
  {
    member: 'expiresIn',
    want: 'a positive whole number',
    fits: (value) => Number.isInteger(value) && Number(value) > 0,
  },
];

/** Judges that the target accepted the file that was sent with an upload form. */
export function accepts(t: CheckContext, exchange: Exchange): void {
  const message = `a form that was sent as it was handed out ${describeAnswer(exchange)}; expected a success`;
  t.expect(succeeded(exchange), { exchange, message });
}

function refuses(t: CheckContext, tries: readonly FormTry[], what: string): void {
  if (tries.length === 0) t.notTestable('the form has no fields');
  for (const { what: wrong, exchange } of tries) {
    const message = `${what} ${wrong} ${describeAnswer(exchange)}; expected a refusal`;
    t.expect(refused(exchange), { cell: wrong, exchange, message });
  }
}

function forms(id: Check['id'], judge: (t: CheckContext, life: FormLife) => void): Check {
  return filesCheck(id, (t, recording) => judge(t, recording.forms));
}

function filesCheck(id: Check['id'], judge: (t: CheckContext, recording: TaskOptionsRecording) => void): Check {
  return check(id, { needs: [taskOptions] }, async (t) => judge(t, await t.recording(taskOptions)));
}
