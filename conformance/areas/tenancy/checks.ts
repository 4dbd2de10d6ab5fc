import type { RequirementId } from '#generated/requirements.ts';
import { type Check, type CheckContext, check } from '../../core/check.ts';
import { type Exchange, describeAnswer, refused, succeeded } from '../../core/exchange.ts';
import { jobTarget, jobPhase } from '../../core/job-target.ts';
import { memberAt } from '../../core/json.ts';
import { NotTestable } from '../../core/outcome.ts';
import type { AnyScenario } from '../../core/scenario.ts';
import { idsIn } from '../../ledger/session-api.ts';
import type { Target } from '../../core/target.ts';
import { oneShotRun } from '../v4-runs/scenarios.ts';
import { type Attempt, type Attempts, otherProject, tenancyBrowser, tenancySession, tenancyTask } from './scenarios.ts';
import { saysNothing } from '../../common/refusals.ts';
import { show } from '../../core/text.ts';

/**
 * A kind of resource: its name, the scenario that creates it, the items of its list, and a test that no request has
 * ended it.
 */
interface Kind {
  word: 'session' | 'task' | 'run' | 'browser';
  scenarios: readonly AnyScenario[];
  /** Returns the attempts of the other project on the resource. */
  tried: (t: CheckContext) => Promise<Attempts>;
  /** Dotted path of the items in the response of the list operation. */
  items(target: Target): string | undefined;
  /**
   * Returns true if the owner's snapshots show that no request has ended the resource. A browser must also still accept
   * a client.
   */
  unharmed(target: Target, tenancy: Attempts): boolean;
}

const session: Kind = {
  word: 'session',
  scenarios: [tenancySession],
  tried: (t) => t.recording(tenancySession),
  items: ({ v3 }) => v3?.list?.items,
  unharmed: (_target, { before, after }) => readStatus(before) === readStatus(after),
};

const task: Kind = {
  word: 'task',
  scenarios: [tenancyTask],
  tried: (t) => t.recording(tenancyTask),
  items: ({ v2 }) => v2?.list?.items,
  unharmed: (target, tenancy) => jobUnharmed(target, 'task', tenancy),
};

const run: Kind = {
  word: 'run',
  scenarios: [oneShotRun, otherProject],
  tried: tryRunOfPair,
  items: ({ v4 }) => v4?.listRuns?.items,
  unharmed: (target, tenancy) => jobUnharmed(target, 'run', tenancy),
};

const browser: Kind = {
  word: 'browser',
  scenarios: [tenancyBrowser],
  tried: (t) => t.recording(tenancyBrowser),
  items: ({ v4 }) => v4?.browsers?.list?.items,
  unharmed: (_target, tenancy) =>
    readStatus(tenancy.before) === readStatus(tenancy.after) && 'works' in tenancy && tenancy.works !== false,
};

/** Checks that the key of another project can neither read nor change a resource. */
export const tenancyChecks: readonly Check[] = [
  kept('TENANCY-01', session, 'read'),
  unended('TENANCY-02', session),
  kept('TENANCY-03', session, 'followUp'),
  unlisted('TENANCY-04', session),
  unharmed('TENANCY-05', session),
  kept('TENANCY-06', task, 'read'),
  unended('TENANCY-07', task),
  unlisted('TENANCY-08', task),
  unharmed('TENANCY-09', task),
  kept('TENANCY-10', run, 'read'),
  check('TENANCY-11', { needs: run.scenarios }, async (t) => {
    const items = t.target.v4?.events?.items ?? '';
    for (const { exchange } of await attempts(t, run, 'events')) {
      const list = memberAt(exchange.json, items);
      const empty = succeeded(exchange) && Array.isArray(list) && list.length === 0;
      t.expect(refused(exchange) || empty, { exchange, message: told(run, exchange) });
    }
  }),
  unended('TENANCY-12', run),
  unlisted('TENANCY-13', run),
  unharmed('TENANCY-14', run),
  kept('TENANCY-20', browser, 'read'),
  unended('TENANCY-21', browser),
  unlisted('TENANCY-22', browser),
  unharmed('TENANCY-23', browser),
];

/**
 * Returns the attempts on the run that was cancelled beside the one-shot run. The owner's cancel followed all attempts.
 */
async function tryRunOfPair(t: CheckContext): Promise<Attempts> {
  await t.recording(otherProject);
  const { foreign, stopped } = (await t.recording(oneShotRun)).interrupted();
  const made = foreign() ?? t.notTestable('--other-api-key is not given');
  return { ...made, attempts: made.attempts.map((one) => (one.does === 'end' ? { ...one, own: stopped } : one)) };
}

function kept(id: RequirementId, kind: Kind, does: Attempt['does']): Check {
  return check(id, { needs: kind.scenarios }, async (t) => {
    for (const { exchange } of await attempts(t, kind, does)) {
      t.expect(refused(exchange), { cell: exchange.operation, exchange, message: told(kind, exchange) });
    }
  });
}

/**
 * Creates a check that another project cannot end a resource. A success is legal if its response does not contain the
 * id and the resource is unharmed, because a service may answer so for an unknown id.
 */
function unended(id: RequirementId, kind: Kind): Check {
  return check(id, { needs: kind.scenarios }, async (t) => {
    const tenancy = await kind.tried(t);
    for (const { exchange } of await attempts(t, kind, 'end')) {
      const silent = succeeded(exchange) && !exchange.body.includes(tenancy.id) && kind.unharmed(t.target, tenancy);
      t.expect(refused(exchange) || silent, { cell: exchange.operation, exchange, message: told(kind, exchange) });
    }
  });
}

function unlisted(id: RequirementId, kind: Kind): Check {
  return check(id, { needs: kind.scenarios }, async (t) => {
    const tenancy = await kind.tried(t);
    for (const { exchange } of await attempts(t, kind, 'list')) {
      const ids = idsIn(memberAt(exchange.json, kind.items(t.target) ?? ''));
      if (ids === undefined)
        throw new NotTestable(`the list ${describeAnswer(exchange)} to the other key without a list`);
      const message = `the list of ${kind.word}s shows the other key a ${kind.word} of our project; expected that it does not${sameProject}`;
      t.expect(!ids.includes(tenancy.id), { exchange, message });
    }
  });
}

function unharmed(id: RequirementId, kind: Kind): Check {
  return check(id, { needs: kind.scenarios }, async (t) => {
    const tenancy = await kind.tried(t);
    const { before, after } = tenancy;
    if ('works' in tenancy && tenancy.works === undefined)
      t.notTestable('no second client could be attached to the browser before the requests of the other project');
    const use = 'works' in tenancy && tenancy.works === false ? ', and no client could be attached to it any more' : '';
    const message = `the ${kind.word} was ${show(readStatus(before))}; after requests of another project its owner's fetch ${describeAnswer(after)} with ${show(readStatus(after))}${use}; expected no change`;
    t.expect(succeeded(after) && kind.unharmed(t.target, tenancy), { exchange: after, message });
  });
}

/** End of a message about a resource that another project can use. */
export const sameProject = '; if both keys are of one project, pass the key of another';

function told({ word }: Kind, exchange: Exchange): string {
  return `${exchange.operation} with the key of another project ${describeAnswer(exchange)} for a ${word} of ours; expected a refusal (4xx)${sameProject}`;
}

async function attempts(t: CheckContext, kind: Kind, does: Attempt['does']): Promise<Attempt[]> {
  const made = (await kind.tried(t)).attempts.filter((attempt) => attempt.does === does);
  if (made.length === 0) t.notTestable(`the target file names no operation for it (${kind.word}: ${does})`);
  const judged = made.filter(({ exchange }) => !saysNothing(exchange));
  const telling = judged.filter((attempt) => isTelling(attempt));
  const [first] = made;
  if (judged.length === 0 && first !== undefined) {
    t.notTestable(`${first.exchange.operation} with the key of another project ${describeAnswer(first.exchange)}`);
  }
  if (telling.length === 0 && first !== undefined) {
    t.notTestable(
      `${first.exchange.operation} is not served to the owner either: it ${describeAnswer(first.own ?? first.exchange)}`,
    );
  }
  return telling;
}

/**
 * Returns true if an attempt can be judged: the owner's same request succeeded, got 409 or was not sent, or the attempt
 * itself was not refused.
 */
function isTelling({ exchange, own }: Attempt): boolean {
  return !refused(exchange) || own === undefined || succeeded(own) || own.status === 409;
}

function readStatus({ json }: Exchange): ReturnType<typeof memberAt> {
  return memberAt(json, 'status');
}

/**
 * Returns true unless the job was stopped. A job may end by itself in the meantime; a stop leaves another status word.
 */
function jobUnharmed(target: Target, kind: 'task' | 'run', { before, after }: Attempts): boolean {
  const job = jobTarget(target, kind);
  if (job === undefined || !succeeded(after)) return false;
  const phase = jobPhase(job, after.json);
  return phase === 'pending' || phase === 'completed' || phase === jobPhase(job, before.json);
}
