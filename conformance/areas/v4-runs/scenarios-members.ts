import { createRandom, randomUuid } from '../../core/random.ts';
import { type Exchange, succeeded } from '../../core/exchange.ts';
import { type JsonObject, memberAt, toText } from '../../core/json.ts';
import { notOffered } from '../../core/operations.ts';
import { NotTestable } from '../../core/outcome.ts';
import type { ScenarioContext, Scenario } from '../../core/scenario.ts';
import { JobRefused, JobWithoutId, isOver, watchJob } from '../../common/observed-job.ts';
import { refusedPair, runBody, runProbe } from '../../common/probe-bodies.ts';
import { type SampleFile, type WorkspaceFiles, createWorkspaceFiles, uploads } from '../../common/workspace-files.ts';
import type { Purge } from '../v2-tasks/scenarios-options.ts';
import { noteEndingWith, uniqueWord } from '../../core/text.ts';

/**
 * Recorded runs of one V4 session in the suite's workspace: with attachments, an output schema, secrets, and refused
 * values.
 */
export interface RunMembers {
  workspaceId: string;
  session: Exchange;
  attached: AttachedRun;
  /** A run with twenty unknown file ids, an output schema, secrets, a judge and a mailbox. */
  equipped: EquippedRun;
  /**
   * A run that wrote a file, with its events; undefined if the target file names no such task, or the run was refused.
   */
  written: { file: string; events: Exchange } | undefined;
  /** Response to a run that continues the session in another workspace, which must be refused. */
  elsewhere: Exchange;
  /** Responses to a run and to messages that this session must refuse. */
  refused: RefusedRequests;
  purge: Purge;
}

/** A run with attachments. */
export interface AttachedRun {
  id: string;
  /**
   * Names and texts of the attachments in the order of the request. At the creation of the run, only the second is
   * uploaded.
   */
  samples: readonly [Required<SampleFile>, Required<SampleFile>];
  /** The last line of the second attachment, a single word. */
  word: string;
  ids: readonly [string, string];
  unknownId: string;
  /**
   * Response to the creation of a run whose attachments include `unknownId`. The other members are about this run; if
   * it was refused, they are about a second run without that id.
   */
  named: Exchange;
  created: Exchange;
  record: Exchange;
  /** Attachments of the run before the upload of the first file; `uploaded` shows them after this upload. */
  pending: Exchange;
  uploaded: Exchange;
}

/** A run with optional members besides its task. */
export interface EquippedRun {
  created: Exchange;
  /** Output schema of the run; undefined if the target file names no task with a schema. */
  outputSchema: JsonObject | undefined;
  missing: readonly string[];
  secret: string;
  /** The observed run; undefined if it was refused. */
  seen: SeenRun | undefined;
}

/** A run that has ended, with its records. */
export interface SeenRun {
  record: Exchange;
  attachments: Exchange;
  events: { whole: Exchange; short: Exchange };
}

const operations = [
  'v4.createWorkspace',
  'v4.uploadWorkspaceFiles',
  'v4.getRun',
  'v4.listAttachments',
  'v4.listRunEvents',
  'v4.getSession',
  'v4.createMessage',
  'v4.purgeSession',
  'v4.deleteSession',
] as const;

/** Creates one V4 session with three runs; records them and the refused requests. */
export const runMembers: Scenario<RunMembers> = {
  name: 'run-desk',
  creates: 'one V4 session with three runs, in a workspace with three small files',
  spend: 'task',
  dispatches: 3,
  stateful: true,
  unavailable: (target) => notOffered(target, operations),
  run: (context) => context.live(() => driveMembers(context)),
};

async function driveMembers(context: ScenarioContext): Promise<RunMembers> {
  const workspaceFiles = await createWorkspaceFiles(context, 'v4');
  if (workspaceFiles === undefined) throw new NotTestable('no workspace was made');
  const attached = await runAttached(context, workspaceFiles);
  const sessionId = toText(memberAt(attached.created.json, 'sessionId'));
  const session = await context.operations.call('v4.getSession', { path: [sessionId] });
  const equipped = await runEquipped(context, sessionId);
  const written = await runWriting(context, sessionId);
  const elsewhere = await runElsewhere(context, sessionId);
  const refused = await refuse(context, sessionId);
  const purge = await purgeRuns(context, { sessionId, runId: attached.id });
  await context.operations.call('v4.deleteSession', { path: [sessionId] });
  return { workspaceId: workspaceFiles.id, session, attached, equipped, written, elsewhere, refused, purge };
}

async function runAttached(context: ScenarioContext, workspaceFiles: WorkspaceFiles): Promise<AttachedRun> {
  const word = uniqueWord(context, 'attached');
  const samples = [
    { name: 'later.txt', text: 'comes later', contentType: 'text/plain' },
    { name: 'note.txt', text: noteEndingWith(word), contentType: 'text/plain' },
  ] as const;
  const reserved = await workspaceFiles.reserve(samples);
  const [first = '', second = ''] = uploads(reserved, 'id');
  const [late = '', early = ''] = uploads(reserved, 'uploadUrl');
  if (!URL.canParse(late) || !URL.canParse(early)) throw new NotTestable('no address for an upload was handed out');
  await workspaceFiles.put(early, samples[1]);
  const unknownId = randomUuid(createRandom(context.seed));
  const { succeed, readFile } = context.target.tasks;
  const body = {
    ...runBody(context.target, readFile?.replaceAll('{file}', samples[1].name) ?? succeed),
    workspaceId: workspaceFiles.id,
  };
  const named = await context.jobs.run.create({ ...body, attachedFileIds: [first, second, unknownId] });
  const created = succeeded(named)
    ? named
    : await context.jobs.run.create({ ...body, attachedFileIds: [first, second] });
  const { id, record } = await complete(context, created);
  const list = (): Promise<Exchange> => context.operations.call('v4.listAttachments', { path: [id] });
  const pending = await list();
  await workspaceFiles.put(late, samples[0]);
  return {
    id,
    samples,
    word,
    ids: [first, second],
    unknownId,
    named,
    created,
    record,
    pending,
    uploaded: await list(),
  };
}

/** The schema of the structured task; a test task can fill it. */
const outputSchema: JsonObject = {
  type: 'object',
  properties: { title: { type: 'string' } },
  required: ['title'],
};

/** Domains of a binding, in the maximum number. */
const domains = Array.from({ length: 10 }, (_, index) => `svc-check-${index}.example.com`);

async function runEquipped(context: ScenarioContext, sessionId: string): Promise<EquippedRun> {
  const { succeed, structured } = context.target.tasks;
  const random = createRandom(context.seed + 1);
  const missing = Array.from({ length: 20 }, () => randomUuid(random));
  const secret = context.secret('v4');
  const secretBindings = Array.from({ length: 10 }, (_, index) => ({
    alias: `svc-check-${index}`,
    source: { type: 'inline', value: secret },
    allowedDomains: domains,
  }));
  const schema = structured === null ? undefined : outputSchema;
  const created = await context.jobs.run.create({
    ...runBody(context.target, structured ?? succeed),
    sessionId,
    attachedFileIds: missing,
    secretBindings,
    judge: {},
    inbox: true,
    ...(schema === undefined ? {} : { outputSchema: schema }),
  });
  const seen = succeeded(created) ? await see(context, created) : undefined;
  return { created, outputSchema: schema, missing, secret, seen };
}

async function runWriting(context: ScenarioContext, sessionId: string): Promise<RunMembers['written']> {
  const { writeFile } = context.target.tasks;
  if (writeFile === null) return undefined;
  const file = 'svc-output.txt';
  const goal = writeFile.replaceAll('{file}', file).replaceAll('{text}', uniqueWord(context, 'written'));
  const created = await context.jobs.run.create({ ...runBody(context.target, goal), sessionId });
  // Another check judges whether a session accepts another run.
  if (!succeeded(created)) return undefined;
  const { id } = await complete(context, created);
  return { file, events: await context.operations.call('v4.listRunEvents', { path: [id] }) };
}

async function see(context: ScenarioContext, created: Exchange): Promise<SeenRun> {
  const { id, record } = await complete(context, created);
  const events = (include: boolean): Promise<Exchange> =>
    context.operations.call('v4.listRunEvents', { path: [id], query: { include_output: include } });
  const attachments = await context.operations.call('v4.listAttachments', { path: [id] });
  return { record, attachments, events: { whole: await events(true), short: await events(false) } };
}

/**
 * Polls a run until it has ended or the task deadline has passed, and returns its record. Throws JobRefused if the
 * creation was refused, and JobWithoutId if its answer has no id.
 */
async function complete(context: ScenarioContext, created: Exchange): Promise<{ id: string; record: Exchange }> {
  if (!succeeded(created)) throw new JobRefused('run', created);
  const id = context.jobs.run.readId(created);
  if (id === undefined) throw new JobWithoutId('run', created);
  await watchJob(context, context.jobs.run, { id, until: isOver, deadlineMs: context.target.polling.taskDeadlineMs });
  return { id, record: (await context.jobs.run.look(id)).exchange };
}

async function purgeRuns(
  context: ScenarioContext,
  { sessionId, runId }: { sessionId: string; runId: string },
): Promise<Purge> {
  const look = async (): Promise<Exchange[]> => [
    await context.operations.call('v4.getSession', { path: [sessionId] }),
    await context.operations.call('v4.getRun', { path: [runId] }),
  ];
  const before = await look();
  const answer = await context.operations.call('v4.purgeSession', { path: [sessionId] });
  return { answer, before, after: await look() };
}

/** Responses to requests that a V4 session must refuse. */
interface RefusedRequests {
  /** Response to a run with 21 attached files. */
  files: Exchange;
  /**
   * Response to a message with 21 attached files; `messageMember` is the response to a message with a member that is
   * not documented.
   */
  messageFiles: Exchange;
  messageMember: Exchange;
}

/**
 * Sends a run that continues a session in another workspace, which must be refused. Throws NotTestable if that
 * workspace cannot be created.
 */
async function runElsewhere(context: ScenarioContext, sessionId: string): Promise<Exchange> {
  const other = await createWorkspaceFiles(context, 'v4');
  if (other === undefined) throw new NotTestable('no second workspace was made');
  const probe = runProbe(context.target);
  // A refused value stays refused in a workspace (V4-PARAMS-REFUSES).
  const wrong = { ...probe, ...refusedPair('v4', context.seed), workspaceId: other.id };
  await context.operations.probe('run', 'v4.createRun', { body: wrong });
  const body = { ...probe, sessionId, workspaceId: other.id };
  return context.operations.probe('run', 'v4.createRun', { body });
}

/** Sends requests that must be refused to a session whose run has ended. */
async function refuse(context: ScenarioContext, sessionId: string): Promise<RefusedRequests> {
  const random = createRandom(context.seed + 2);
  const attachedFileIds = Array.from({ length: 21 }, () => randomUuid(random));
  const text = context.target.tasks.succeed;
  const send = async (body: JsonObject): Promise<Exchange> => {
    const exchange = await context.operations.call('v4.createMessage', { path: [sessionId], body, invalid: true });
    const runId = memberAt(exchange.json, 'runId');
    // An accepted request has started a run, which must end before the session is deleted.
    if (succeeded(exchange) && typeof runId === 'string')
      await context.operations.call('v4.cancelRun', { path: [runId] });
    return exchange;
  };
  return {
    files: await context.operations.probe('run', 'v4.createRun', {
      body: { ...runProbe(context.target), sessionId, attachedFileIds },
    }),
    messageFiles: await send({ text, attachedFileIds }),
    messageMember: await send({ text, svcCheckUnknown: true }),
  };
}
