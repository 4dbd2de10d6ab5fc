/** Records that exist before a server is judged, as in a used deployment: ended tasks, sessions, runs and browsers. */
import { createRun } from './v4-life.ts';
import type { Call } from './call.ts';
import { newWorkspace } from './stores.ts';
import { noMeters, type Conversation, type Project, type Session, type World } from './world.ts';

const hour = 3_600_000;

/** Creates an ended session, task, browser and run for each of the times 5, 4 and 3 hours ago. */
export function seedHistory({ world, project }: { world: World; project: Project }): void {
  for (const hours of [5, 4, 3]) {
    const at = Date.now() - hours * hour;
    seedSession(world, project, at);
    seedTask(world, project, at);
    seedBrowser(world, project, at);
    seedRun(world, project, at);
  }
}

function seedSession(world: World, project: Project, at: number): void {
  const session: Session = {
    id: world.dialect.id(),
    createdAt: at,
    updatedAt: at + 60_000,
    activeAt: at + 60_000,
    status: 'stopped',
    askedModel: 'claude-sonnet-5',
    model: 'claude-sonnet-5',
    level: 'low',
    ownKey: false,
    keepAlive: false,
    codeMode: false,
    outputSchema: null,
    recording: false,
    recordingUrls: [],
    task: 'An old task',
    title: 'An old task',
    output: 'Ready.',
    stepCount: 3,
    lastStepSummary: 'Wrote it down',
    successful: true,
    profileId: null,
    workspaceId: null,
    country: 'us',
    ceiling: null,
    inbox: null,
    meters: { inputTokens: 1200, outputTokens: 180, proxyKilobytes: 40, browserMs: 60_000, extra: 0 },
    messages: [],
    work: null,
    tasks: 1,
    looks: 0,
  };
  project.sessions.set(session.id, session);
}

function seedTask(world: World, project: Project, at: number): void {
  const sessionId = world.dialect.id();
  project.sessions2.set(sessionId, {
    id: sessionId,
    status: 'stopped',
    startedAt: at,
    finishedAt: at + 40_000,
    keepAlive: false,
    persistMemory: true,
    oneOff: true,
    share: null,
  });
  const id = world.dialect.id();
  project.tasks.set(id, {
    id,
    sessionId,
    createdAt: at,
    startedAt: at + 500,
    finishedAt: at + 40_000,
    status: 'finished',
    llm: 'svc-2.0',
    level: null,
    task: 'An old task',
    metadata: { team: 'north' },
    steps: [],
    output: 'Ready.',
    successful: true,
    meters: { inputTokens: 900, outputTokens: 90, proxyKilobytes: 20, browserMs: 40_000, extra: 0 },
    outputFiles: [],
    judged: false,
    work: null,
  });
}

function seedBrowser(world: World, project: Project, at: number): void {
  const id = world.dialect.id();
  project.browsers.set(id, {
    id,
    startedAt: at,
    finishedAt: at + 5 * 60_000,
    status: 'stopped',
    minutes: 60,
    country: 'us',
    profileId: null,
    recording: false,
    metadata: { team: 'north' },
    cost: 5 * 333,
    proxyKilobytes: 40,
  });
}

function seedRun(world: World, project: Project, at: number): void {
  const call: Call = { world, project, operation: 'history', params: {}, query: new URLSearchParams(), body: {} };
  const conversation: Conversation = {
    id: world.dialect.id(),
    workspaceId: newWorkspace(call, null).id,
    title: null,
    createdAt: at,
    runIds: [],
    queue: [],
    profileId: null,
  };
  project.conversations.set(conversation.id, conversation);
  const run = createRun(call, { task: 'An old task', model: 'gpt-5.6-luna' }, conversation);
  const ended = {
    createdAt: at,
    updatedAt: at + 30_000,
    status: 'completed',
    title: 'An old task',
    result: 'Ready.',
  } as const;
  Object.assign(run, ended, { meters: { ...noMeters(), inputTokens: 700, outputTokens: 80 } });
  const end = {
    runId: run.id,
    id: world.serial + 1,
    ts: world.dialect.time(at + 30_000),
    type: 'run.completed',
    data: {},
  };
  world.serial += 1;
  run.events.push(end);
}
