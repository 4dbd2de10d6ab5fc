import { type Exchange, succeeded } from '../../core/exchange.ts';
import { type JsonObject, memberAt, toText } from '../../core/json.ts';
import { notOffered } from '../../core/operations.ts';
import type { ScenarioContext, Scenario } from '../../core/scenario.ts';
import { createRandom, randomUuid } from '../../core/random.ts';
import { type FollowedTask, runToEnd } from '../../common/observed-job.ts';
import { listItems } from '../../common/followed-pages.ts';
import { type GuardedAddress, guardAddress } from '../../common/signed-urls.ts';
import { openTaskSession } from '../../common/open-task-session.ts';
import { noteEndingWith, uniqueWord } from '../../core/text.ts';
import { type SessionShare, openAddress, shareSession } from '../../common/session-share.ts';
import { type FormFile, type FormLife, driveForms } from '../../common/upload-forms.ts';

/** One V2 session with files, a task that was given secrets, and a public share. */
export interface TaskOptionsRecording {
  id: string;
  forms: FormLife;
  /** A task that reads the uploaded file; undefined if the target file names no such task. */
  read: FollowedTask | undefined;
  /** A task that writes a file; undefined if the target file names no such task. */
  written: WrittenFile | undefined;
  /** A task with secrets, and the secret value. */
  secret: { task: FollowedTask; value: string };
  share: SessionShare;
  purge: Purge;
}

/** A file that a task has written. */
export interface WrittenFile {
  task: FollowedTask;
  /** Name of the file that the task instruction requests; `text` is its content. */
  file: string;
  text: string;
  /** The file as the record of the task lists it; undefined if the record does not list it. */
  listed: JsonObject | undefined;
  asked: Exchange | undefined;
  opened: Exchange | undefined;
  guarded: GuardedAddress | undefined;
  unknownFile: Exchange;
  unknownTask: Exchange;
  /** Response to a request for the file with the id of another task of the session; undefined if no file was listed. */
  ofAnother: Exchange | undefined;
}

/** A purge request, and reads of the data that a refused purge must not delete, before and after the request. */
export interface Purge {
  answer: Exchange;
  before: readonly Exchange[];
  after: readonly Exchange[];
}

const operations = [
  'v2.createSession',
  'v2.getSession',
  'v2.deleteSession',
  'v2.createSessionUpload',
  'v2.getOutputFile',
  'v2.getPublicShare',
  'v2.createPublicShare',
  'v2.deletePublicShare',
  'v2.purgeSession',
] as const;

/** Creates one V2 session with files, secrets and a share; records its tasks and a purge. */
export const taskOptions: Scenario<TaskOptionsRecording> = {
  name: 'task-desk',
  creates: 'one V2 session with three tasks, a small file and a public share',
  spend: 'task',
  dispatches: 3,
  stateful: true,
  unavailable: (target) => notOffered(target, operations),
  run: (context) => context.live(() => driveMembers(context)),
};

async function driveMembers(context: ScenarioContext): Promise<TaskOptionsRecording> {
  const { id } = await openTaskSession(context, {});
  const { succeed, readFile } = context.target.tasks;
  const value = context.secret('v2');
  const task = await runToEnd(context, { task: succeed, sessionId: id, secrets: { password: value } });
  await context.operations.call('v2.getTaskLogs', { path: [task.id] });
  const forms = await driveForms(context, id, createFile(context));
  const goal = readFile?.replaceAll('{file}', forms.form.fileName);
  const read = goal === undefined ? undefined : await runToEnd(context, { task: goal, sessionId: id });
  const written = await write(context, { sessionId: id, other: task.id });
  const share = await shareSession(context, id);
  const purge = await purgeTasks(context, { sessionId: id, taskId: task.id });
  await context.operations.call('v2.deleteSession', { path: [id] });
  return { id, forms, read, written, secret: { task, value }, share, purge };
}

function createFile(context: ScenarioContext): FormFile {
  return { fileName: 'svc-check.txt', contentType: 'text/plain', text: noteEndingWith(uniqueWord(context, 'sent')) };
}

async function write(
  context: ScenarioContext,
  { sessionId, other }: { sessionId: string; other: string },
): Promise<WrittenFile | undefined> {
  const { writeFile } = context.target.tasks;
  if (writeFile === null) return undefined;
  const [file, text] = ['svc-output.txt', uniqueWord(context, 'written')];
  const goal = writeFile.replaceAll('{file}', file).replaceAll('{text}', text);
  const task = await runToEnd(context, { task: goal, sessionId });
  const ask = (taskId: string, fileId: string): Promise<Exchange> =>
    context.operations.call('v2.getOutputFile', { path: [taskId, fileId] });
  const listed = listItems(task.records.at(-1)?.exchange, 'outputFiles').find((item) =>
    toText(item['fileName']).endsWith(file),
  );
  const id = listed === undefined ? undefined : toText(listed['id']);
  const asked = id === undefined ? undefined : await ask(task.id, id);
  const address = toText(memberAt(asked?.json, 'downloadUrl'));
  const random = createRandom(context.seed);
  return {
    task,
    file,
    text,
    listed,
    asked,
    opened: URL.canParse(address) ? await openAddress(context, address) : undefined,
    guarded: await guardAddress(context, 'the V2 output file', address),
    unknownFile: await ask(task.id, randomUuid(random)),
    unknownTask: await ask(randomUuid(random), id ?? randomUuid(random)),
    ofAnother: id === undefined ? undefined : await ask(other, id),
  };
}

async function purgeTasks(
  context: ScenarioContext,
  { sessionId, taskId }: { sessionId: string; taskId: string },
): Promise<Purge> {
  const look = async (): Promise<Exchange[]> => [
    await context.operations.call('v2.getSession', { path: [sessionId] }),
    await context.operations.call('v2.getTask', { path: [taskId] }),
  ];
  const before = await look();
  const answer = await context.operations.call('v2.purgeSession', { path: [sessionId] });
  if (succeeded(answer)) bookPurged(context, sessionId);
  return { answer, before, after: await look() };
}

/** Marks a session as ended in the ledger after a purge has removed it. */
function bookPurged({ ledger }: ScenarioContext, sessionId: string): void {
  const entry = ledger.find('session', sessionId);
  if (entry !== undefined) ledger.update(entry, { state: 'ended' });
}
