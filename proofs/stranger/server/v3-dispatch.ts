/** What an accepted V3 creation makes, and what a follow-up changes. */
import type { FaultId } from '../faults/index.ts';
import { type Call, flag, objectIn, refuse, text } from './call.ts';
import { type Level, LEVELS, resolveAlias } from './tables.ts';
import { beginTask, startSandbox } from './v3-life.ts';
import { find } from './v3-sessions.ts';
import { type Json, nextSerial, noMeters, now, type Session, type World } from './world.ts';

/** Dispatches a task to an existing session. */
export function followUp(call: Call, body: Json, id: string): Session {
  const { world } = call;
  const session = find(call, id);
  const task = text(body, 'task') ?? '';
  if (!acceptsTask(world, session)) refuse(world, 409, `Session is ${session.status}`);
  session.level = nextLevel(call, session, body);
  replaceOptions(session, body);
  if (!world.faults.has('v3-followup-does-nothing')) beginTask(world, session, task);
  return session;
}

function acceptsTask(world: World, session: Session): boolean {
  if (session.status === 'idle') return true;
  if (session.status === 'running') return world.faults.has('v3-followup-busy-accepted');
  return session.status !== 'created' && world.faults.has('v3-followup-ended-accepted');
}

function replaceOptions(session: Session, body: Json): void {
  if ('keepAlive' in body) session.keepAlive = flag(body, 'keepAlive', false);
  if ('codeMode' in body) session.codeMode = flag(body, 'codeMode', false);
  if ('outputSchema' in body) session.outputSchema = objectIn(body, 'outputSchema');
  if ('maxCostUsd' in body) session.ceiling = ceilingFor(body);
  if ('enableRecording' in body) session.recording = flag(body, 'enableRecording', false);
}

function nextLevel(call: Call, session: Session, body: Json): Level | null {
  const { faults } = call.world;
  if (body['thinkingLevel'] === null) {
    if (faults.has('level-null-keeps')) return session.level;
    return faults.has('level-null-disables') ? 'disabled' : null;
  }
  const given = LEVELS.find((level) => level === body['thinkingLevel']);
  return given === undefined ? keptLevel(call, session) : updatedLevel(call, session, given);
}

function keptLevel(call: Call, session: Session): Level | null {
  const { faults } = call.world;
  if (faults.has('level-omitted-resets')) return null;
  if (session.tasks >= 2 && faults.has('level-lost-at-third-task')) return null;
  return session.level !== null && faults.has('level-omitted-is-high') ? 'high' : session.level;
}

function updatedLevel(call: Call, session: Session, given: Level): Level | null {
  const { faults } = call.world;
  if (faults.has('level-update-ignored')) return session.level;
  if (session.level === null && faults.has('level-update-from-null-ignored')) return null;
  return given === 'disabled' && faults.has('level-disabled-is-null') ? null : given;
}

/** Faults in which a name stands for another model than the contract says. */
const WRONG_ALIASES: Partial<Record<FaultId, Readonly<Record<string, string>>>> = {
  'alias-mini': { 'svc-mini': 'gemini-3.5-flash' },
  'alias-max': { 'svc-max': 'claude-sonnet-4.6' },
  'alias-ultra': { 'svc-ultra': 'claude-opus-4.7' },
  'alias-legacy': { 'claude-sonnet-4.6': 'claude-opus-4.6' },
  'alias-opus48': { 'claude-opus-4.8': 'claude-opus-4.7' },
  'alias-terra': { 'gpt-5.6-terra': 'gpt-5.6-sol' },
  'pl-gpt52-is-54mini': { 'gpt-5.2': 'gpt-5.4-mini' },
  'pl-haiku-is-sonnet5': { 'claude-haiku-4.5': 'claude-sonnet-5' },
  'alias-pro': { 'gemini-3.1-pro': 'gemini-3-pro' },
};

function storedModel(call: Call, asked: string): string {
  for (const [id, names] of call.world.faults.entries(WRONG_ALIASES)) {
    const wrong = names[asked];
    if (wrong !== undefined && call.world.faults.has(id)) return wrong;
  }
  return resolveAlias(asked);
}

/** Creates a session and starts its sandbox. */
export function createSession(call: Call, body: Json): Session {
  const { world, project } = call;
  const { faults } = world;
  const asked = text(body, 'model') ?? (faults.has('v3-default-model') ? 'claude-opus-4.8' : 'claude-opus-4.7');
  const at = now(world);
  const id = world.dialect.id();
  const session: Session = {
    id,
    createdAt: at,
    updatedAt: at,
    activeAt: at,
    status: 'created',
    askedModel: asked,
    model: storedModel(call, asked),
    level: LEVELS.find((level) => level === body['thinkingLevel']) ?? null,
    ownKey: flag(body, 'useOwnKey', false),
    keepAlive: flag(body, 'keepAlive', faults.has('v3-keepalive-default-on')),
    codeMode: flag(body, 'codeMode', false),
    outputSchema: objectIn(body, 'outputSchema'),
    recording: flag(body, 'enableRecording', false),
    recordingUrls: [],
    task: null,
    title: null,
    output: null,
    stepCount: 0,
    lastStepSummary: null,
    successful: null,
    profileId: text(body, 'profileId'),
    workspaceId: text(body, 'workspaceId'),
    country: countryFor(call, body),
    ceiling: ceilingFor(body),
    inbox: inboxFor(call, body),
    meters: noMeters(),
    messages: [],
    work: null,
    tasks: 0,
    looks: 0,
  };
  project.sessions.set(id, session);
  startSandbox(world, session, text(body, 'task'));
  return session;
}

function inboxFor(call: Call, body: Json): string | null {
  if (call.world.faults.has('v3-inbox-always')) return 'always@inbox.example';
  return flag(body, 'inbox', true) ? `box${nextSerial(call.world)}@inbox.example` : null;
}

function countryFor(call: Call, body: Json): string | null {
  const { faults } = call.world;
  if (body['proxyCountryCode'] === null) return faults.has('v3-country-null-is-us') ? 'us' : null;
  const asked = text(body, 'proxyCountryCode');
  if (asked !== null && faults.has('v3-country-ignored')) return 'us';
  if (asked === 'uk' && faults.has('v3-country-uk-is-gb')) return 'gb';
  return asked ?? 'us';
}

function ceilingFor(body: Json): number | null {
  const value = body['maxCostUsd'];
  return value === undefined || value === null ? null : Math.round(Number(value) * 1e6);
}
