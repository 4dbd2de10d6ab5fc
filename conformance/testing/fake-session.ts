import { randomUUID } from 'node:crypto';
import { isJsonObject, type JsonObject, type JsonValue, memberAt, toText } from '../core/json.ts';
import { echoedWords } from './fake-job.ts';
import type { Fault, AllowedVariation } from './faults.ts';

/** Dependencies of a session of the fake service. */
export interface FakeWorld {
  url: string;
  now(): number;
  has: (fault: Fault) => boolean;
  does(habit: AllowedVariation): boolean;
  /** Members that replace members of every record. */
  override: JsonObject;
  /** Profile of the latest session that was created with one, or null. */
  lastProfile: JsonValue;
  /** For each text of a task, the first value of the member that a fault repeats for later tasks with this text. */
  readonly firstByText: Map<string, JsonValue>;
}

const inactivityMs = 900_000;

/** Output that conforms to the schema of the task with structured output. */
const structuredOutput: JsonObject = {
  title: 'Example Domain',
  kind: 'page',
  format: 'v1',
  isReachable: true,
  words: 28,
  rating: 5,
  address: { host: 'example.com' },
  headings: [{ text: 'Example Domain', level: 1 }],
  letters: ['a', 'b', 'c', 'd'],
  languages: ['en'],
  alphabet: 'abcdefghijklmnopqrstuvwxyz',
  decade: 1995,
  notice: 'This sentence has more than sixty-four characters, and a full stop at its end.',
};

/** Faults that ignore one bound of the schema, each with the members of the structured output that miss the bound. */
const unbounded: readonly (readonly [Fault, JsonObject])[] = [
  ['minItems is ignored', { letters: ['a', 'b'] }],
  ['maxItems is ignored', { languages: ['en', 'en'] }],
  ['minLength is ignored', { alphabet: 'abc' }],
  ['maxLength is ignored', { letters: ['Done', 'Done', 'Done', 'Done'] }],
  ['minimum is ignored', { decade: 1 }],
  ['constant is cut', { notice: 'This sentence has more than sixty-four characters, and a full st' }],
];

const ends = ['stopped', 'timed_out', 'error'];

/** Time in ms after which an idle session loses its level, with the fault "level is lost at rest". */
const restMs = 6;

/** Outputs for a schema that describes no object, by the type in this schema. */
const plainOutputs: Readonly<Record<string, JsonValue>> = { integer: 7, boolean: true, array: ['Done'] };

/** One V3 session that advances one step with every fetch after the first, so that no test has to wait. */
export class FakeSession {
  readonly id: string = randomUUID();
  private readonly world: FakeWorld;
  private readonly record: JsonObject;
  private request: JsonObject;
  /** Status in the first list that showed the session. */
  private listedStatus: string | undefined;
  private task: string | undefined;
  /** Members as they were before the latest follow-up, which a fault shows in the next fetch. */
  private stale: JsonObject = {};
  private fetches = 0;
  /** Whether a task has failed while the fault "success never returns after a failure" was active. */
  private hasFailed = false;
  /** Whether a follow-up has cleared the level. */
  private isCleared = false;
  /** Last part of the newest screenshot URL. */
  latestShot = '';
  /** Number of tasks that have completed. */
  private tasks = 0;
  private fetchesAfterStop = 0;
  private readonly createdAt: number;
  private touchedAt: number;

  constructor(world: FakeWorld, request: JsonObject) {
    this.world = world;
    this.request = request;
    this.createdAt = world.now();
    this.touchedAt = this.createdAt;
    this.task = typeof request['task'] === 'string' ? request['task'] : undefined;
    this.record = this.firstRecord();
  }

  get status(): string {
    return toText(this.record['status']);
  }

  /** True until the session has executed a step. */
  get isUnused(): boolean {
    return this.record['stepCount'] === 0;
  }

  get model(): string {
    return toText(this.record['model']);
  }

  /** Starts the task of a follow-up. */
  dispatch(body: JsonObject): void {
    const { sessionId: _session, ...rest } = body;
    this.stale = this.staleMembers();
    this.configure(rest['thinkingLevel']);
    this.request = { ...this.request, ...rest };
    if (rest['outputSchema'] !== undefined) this.set('outputSchema', this.schema());
    this.task = toText(rest['task']);
    this.fetches = 1;
    if (this.world.has('follow-up never runs')) {
      this.task = undefined;
      return;
    }
    this.set('status', 'running');
    this.entitle();
    this.set('isTaskSuccessful', null);
  }

  /** Applies the level of a follow-up. */
  private configure(level: JsonValue | undefined): void {
    const isIgnored = this.isCleared && this.world.has('level after a cleared one is ignored');
    this.isCleared ||= level === null;
    if (isIgnored) return;
    if (!this.world.has('follow-up ignores level') && level !== undefined) this.set('thinkingLevel', level);
    const isRested = this.world.now() - this.touchedAt > restMs && this.world.has('level is lost at rest');
    if (level === undefined && (isRested || this.world.has('follow-up forgets level'))) this.set('thinkingLevel', null);
    if (level === null && this.world.has('follow-up keeps level on null')) this.set('thinkingLevel', 'low');
  }

  /** Ends the task at once, if one runs. */
  endTask(): void {
    if (this.task !== undefined) this.complete(this.task);
  }

  /** Returns the members that the next fetch shows as they were before a follow-up. */
  private staleMembers(): JsonObject {
    if (this.world.has('record is stale after a follow-up')) return { ...this.record };
    const { status = null, isTaskSuccessful = null, output = null } = this.record;
    const isStale = this.world.has('status and outcome are stale after a follow-up');
    return isStale ? { status, isTaskSuccessful, output } : {};
  }

  /** Simulates the loss of the sandbox: the session ends as `error`, or as `timed_out` if `fault` is active. */
  lose(fault: Fault): void {
    this.task = undefined;
    this.set('status', this.world.has(fault) ? 'timed_out' : 'error');
    if (this.world.has('lost task was a success')) this.set('isTaskSuccessful', true);
  }

  stop(): void {
    if (ends.includes(this.status)) return;
    const isUntouched = this.status === 'idle' && this.tasks === 0;
    if (isUntouched && this.world.has('stop ignored before the first task')) return;
    this.task = undefined;
    this.set('status', this.world.has('stop leaves idle') ? 'idle' : 'stopped');
  }

  /** Advances the session and returns its record. */
  fetch(): JsonObject {
    const { stale } = this;
    this.stale = {};
    if ('status' in stale) return { ...this.view(), ...stale };
    this.fetches += 1;
    const activeAt = this.world.has('inactivity counted from the creation') ? this.createdAt : this.touchedAt;
    if (this.status === 'idle' && this.world.now() - activeAt > inactivityMs) {
      this.set('status', this.world.has('inactivity stops') ? 'stopped' : 'timed_out');
    }
    if (this.task !== undefined) this.step(this.task);
    else if (this.status === 'created' && this.fetches > 1) this.set('status', this.readyStatus());
    if (this.status === 'stopped') this.fetchStopped();
    return this.view();
  }

  private fetchStopped(): void {
    this.fetchesAfterStop += 1;
    if (this.world.has('fetch of a stopped session costs')) this.charge();
    if (this.world.has('end state is left') && this.fetchesAfterStop > 2) this.set('status', 'idle');
  }

  /** Adds a cost of browser time. */
  private charge(): void {
    for (const member of ['browserCostUsd', 'totalCostUsd'])
      this.record[member] = (Number(this.record[member]) + 0.0005).toFixed(4);
  }

  private readyStatus(): string {
    if (this.world.has('session without a task stays created')) return 'created';
    const isStopped = this.request['keepAlive'] === false && this.world.has('session without a task stops when ready');
    return isStopped ? 'stopped' : 'idle';
  }

  /** Returns the current record. */
  view(): JsonObject {
    const isGone = this.status === 'stopped' && this.world.has('screenshot ends with the session');
    const livesMs = this.world.has('screenshot dies early') ? 60_000 : 300_000;
    const expires = isGone ? 1 : this.world.now() + livesMs;
    const nonce = this.world.has('stale screenshot') ? 'same' : randomUUID();
    this.latestShot = nonce;
    const until = this.world.has('screenshot never expires') ? 0 : expires;
    const shot = `${this.world.url}/shot?expires=${until}&of=${this.id}&n=${nonce}`;
    const screenshotUrl = this.world.has('stale screenshot') ? `${this.world.url}/shot` : shot;
    const { updatedAt = null, ...rest } = { ...this.record, ...this.country() };
    const shown = this.world.has('no updatedAt') ? rest : { ...rest, updatedAt };
    return { ...shown, screenshotUrl, ...this.world.override };
  }

  /** Returns the record as the answer to a follow-up shows it. */
  answered(): JsonObject {
    const { createdAt: _time, ...untimed } = this.view();
    return this.world.has('follow-up answer without createdAt') ? untimed : this.view();
  }

  /** Returns the record as a list shows it. */
  listed(): JsonObject {
    const record = this.view();
    if (this.world.has('list keeps the first status')) record['status'] = this.listedStatus ??= this.status;
    if (this.world.has('listed total is the model cost')) record['totalCostUsd'] = record['llmCostUsd'] ?? null;
    const { updatedAt: _time, ...untimed } = record;
    return this.world.has('listed session without updatedAt') ? untimed : record;
  }

  private step(task: string): void {
    if (this.fetches === 1) return;
    if (this.status === 'created') {
      this.set('status', this.world.has('created goes backwards') ? 'created' : 'running');
      this.entitle();
      return;
    }
    if (this.status !== 'running') return;
    const { updatedAt = null } = this.record;
    this.count();
    const isStill = this.world.has('updatedAt stays while steps run');
    if (isStill) this.record['updatedAt'] = updatedAt;
    // A still time shows only over several fetches of a running session.
    if (this.fetches >= (isStill ? 8 : 4) && !task.includes('slow')) this.complete(task);
  }

  /** Counts a step of the task. */
  private count(): void {
    if (this.tasks > 0 && this.world.has('steps of the first task only')) return;
    const steps = Number(this.record['stepCount']);
    this.set('stepCount', this.world.has('step count falls') && steps === 2 ? 1 : steps + 1);
    const isSummarized = this.tasks === 0 || !this.world.has('summary stays that of the first task');
    if (isSummarized) this.set('lastStepSummary', `Step ${steps + 1}`);
    if (this.world.has('success while running')) this.set('isTaskSuccessful', true);
  }

  private complete(task: string): void {
    const achieved = !task.includes('fail') && !this.world.does('spends the whole ceiling');
    this.task = undefined;
    this.tasks += 1;
    this.tellSuccess(achieved);
    this.set('output', this.world.has('output stays null') ? null : this.resultOf(achieved));
    this.spend();
    this.keepRecording(achieved);
    this.set('status', this.isKept() ? 'idle' : 'stopped');
    if (this.tasks >= 3 && this.world.has('third task ends in error')) this.set('status', 'error');
  }

  private keepRecording(achieved: boolean): void {
    const isLost = this.world.has('no recording') || (!achieved && this.world.has('failed task leaves no recording'));
    if (this.request['enableRecording'] === true && !isLost)
      this.set('recordingUrls', [`${this.world.url}/recording?of=${this.id}`]);
  }

  private isKept(): boolean {
    const isStructured = isJsonObject(this.request['outputSchema']);
    return (
      this.world.has('keepAlive always') ||
      (this.request['keepAlive'] === true && !this.world.has('keepAlive ignored')) ||
      (isStructured && this.world.has('session with structured output stays idle'))
    );
  }

  private tellSuccess(achieved: boolean): void {
    this.hasFailed ||= !achieved && this.world.has('success never returns after a failure');
    const isPraised =
      this.world.has('success is always true') ||
      (this.request['codeMode'] === true && this.world.has('success of code mode is always true'));
    const told = isPraised || (achieved && !this.hasFailed);
    this.set('isTaskSuccessful', this.world.has('success is never told') ? null : told);
  }

  private entitle(): void {
    this.set('title', this.world.has('no title') ? null : 'A short title');
  }

  private resultOf(achieved: boolean): JsonValue {
    return this.repeated('result of an earlier task with its text', this.outputFor(achieved));
  }

  /** Returns a value; with the fault, the value of the first task with the same text. */
  private repeated(fault: Fault, value: JsonValue): JsonValue {
    if (!this.world.has(fault)) return value;
    const text = toText(this.request['task']);
    const first = this.world.firstByText.get(text) ?? value;
    this.world.firstByText.set(text, first);
    return first;
  }

  private outputFor(achieved: boolean): JsonValue {
    if (!achieved) return this.world.does('output of a failed task says why') ? 'The goal was not reached' : null;
    if (this.isInCodeMode()) return this.program();
    const schema = this.request['outputSchema'];
    if (schema !== undefined && schema !== null) {
      const plain = plainOutputs[toText(memberAt(schema, 'type'))] ?? this.structured();
      if (this.world.has('output schema ignored')) return { wrong: 1 };
      const isText = typeof plain !== 'object' && this.world.has('number or boolean output is text');
      return isText ? JSON.stringify(plain) : plain;
    }
    return this.plainOutput();
  }

  private isInCodeMode(): boolean {
    const isIgnored = this.request['keepAlive'] === true && this.world.has('kept session ignores code mode');
    return this.request['codeMode'] === true && !isIgnored;
  }

  private program(): JsonValue {
    if (this.world.has('code mode ignored')) return 'text';
    return { text: 'Done', code: 'print(1)', ...(this.world.has('code without result') ? {} : { output: '1' }) };
  }

  private plainOutput(): JsonValue {
    const words = echoedWords(toText(this.request['task']));
    if (words !== undefined) return words;
    if (this.world.has('output repeats the task')) return toText(this.request['task']);
    return this.world.has('output is a number') ? 7 : 'Done';
  }

  private structured(): JsonObject {
    const ignored = unbounded.find(([fault]) => this.world.has(fault))?.[1] ?? {};
    const empty = this.world.has('inner objects are empty') ? { address: {} } : {};
    return { ...structuredOutput, ...empty, ...ignored };
  }

  private spend(): void {
    this.set('totalInputTokens', Number(this.record['totalInputTokens']) + 100);
    const written = this.world.has('no output tokens') ? 0 : 10;
    this.set('totalOutputTokens', Number(this.record['totalOutputTokens']) + written);
    if (this.world.does('spends the whole ceiling')) {
      const ceiling = toText(this.request['maxCostUsd'] ?? '9');
      this.set('browserCostUsd', ceiling);
      this.set('totalCostUsd', ceiling);
      return;
    }
    // Ten output tokens cost a thousandth of a dollar.
    const isOnce = this.world.has('model cost of the first task only');
    const llmUsd = (isOnce ? 10 : Number(this.record['totalOutputTokens'])) / 10_000;
    this.set('llmCostUsd', this.world.has('decimal with exponent') ? '1e-3' : llmUsd.toFixed(isOnce ? 5 : 3));
    const isCharged = this.world.has('follow-up pays for a proxy') && this.tasks > 1;
    const proxyUsd = this.record['proxyCountryCode'] === null && !isCharged ? 0 : 0.0005;
    this.set('proxyCostUsd', proxyUsd.toFixed(4));
    this.set('browserCostUsd', '0.02');
    this.set('totalCostUsd', (llmUsd + proxyUsd + (this.world.has('wrong total') ? 0.03 : 0.02)).toFixed(4));
  }

  private set(member: string, value: JsonValue): void {
    this.record[member] = value;
    this.record['updatedAt'] = new Date(this.world.now()).toISOString();
    this.touchedAt = this.world.now();
  }

  private firstRecord(): JsonObject {
    const at = new Date(this.world.now()).toISOString();
    const isTaskless = this.request['task'] === undefined;
    return {
      id: this.faulty('id is no uuid', `session-${this.id}`, this.id),
      status: this.faulty('unknown status', 'starting', 'created'),
      model: this.faulty('alias is another model', 'minimax-m3', this.shownModel()),
      thinkingLevel: this.level(),
      title: null,
      output: null,
      outputSchema: isTaskless && this.world.does('schema belongs to a task') ? null : this.schema(),
      stepCount: 0,
      lastStepSummary: null,
      isTaskSuccessful: this.faulty('success before a task', false, null),
      liveUrl: this.faulty('no live address', null, `${this.world.url}/live?of=${this.id}`),
      recordingUrls: this.faulty('recording without asking', [`${this.world.url}/recording?of=${this.id}`], []),
      profileId: this.faulty('profile not loaded', null, this.profile()),
      workspaceId: this.asked('workspaceId'),
      proxyCountryCode: this.asked('proxyCountryCode'),
      maxCostUsd: this.faulty('ceiling is a number', 1, this.ceiling()),
      totalInputTokens: 0,
      totalOutputTokens: 0,
      proxyUsedMb: '0',
      llmCostUsd: '0',
      proxyCostUsd: '0',
      browserCostUsd: '0',
      totalCostUsd: '0',
      inboxEmail:
        this.request['inbox'] === true || this.world.has('mailbox without asking')
          ? `a-${this.id}@inbox.example`
          : null,
      integrationsUsed: [],
      createdAt: this.faulty('date without time', '2026-11-20', at),
      updatedAt: at,
    };
  }

  /** Returns the country of the proxy in use if the request named none, and if a habit shows the default then. */
  private country(): JsonObject {
    const isShown = this.world.does('default country is shown with a browser') && this.status !== 'created';
    return isShown && this.request['proxyCountryCode'] === undefined ? { proxyCountryCode: 'de' } : {};
  }

  private level(): JsonValue {
    const isLost = this.request['enableRecording'] === true && this.world.has('level is not set beside a recording');
    return isLost ? null : this.asked('thinkingLevel', this.faulty('default level is shown', 'medium', null));
  }

  private shownModel(): JsonValue {
    const isWrong = this.request['keepAlive'] === true && this.world.has('alias of a kept session is another model');
    const asked = this.asked('model', 'claude-opus-4.7');
    return isWrong && asked === 'claude-sonnet-4.6' ? 'claude-opus-4.6' : asked;
  }

  private schema(): JsonValue {
    return this.repeated('schema of an earlier task with its text', this.asked('outputSchema'));
  }

  private ceiling(): JsonValue {
    const sent = this.asked('maxCostUsd');
    const usd = Number(sent ?? 1);
    if (usd >= 0.001) return sent;
    return this.world.has('small ceiling shown with an exponent') ? usd.toExponential() : sent;
  }

  private profile(): JsonValue {
    const { lastProfile } = this.world;
    this.world.lastProfile = this.asked('profileId', lastProfile);
    return this.asked('profileId', this.faulty('profile of an earlier session is shown', lastProfile, null));
  }

  private asked(member: string, otherwise: JsonValue = null): JsonValue {
    return this.request[member] ?? otherwise;
  }

  private faulty(fault: Fault, wrong: JsonValue, right: JsonValue): JsonValue {
    return this.world.has(fault) ? wrong : right;
  }
}
