import { type ClientRuleId, clientRequirements } from '#generated/requirements.ts';
import { SuiteError } from '../core/suite-error.ts';
import { nearestWord } from '../core/nearest-word.ts';
import { contractLines } from '../core/requirement.ts';
import { type Trial, type ClientVersion, always, trials } from './trial.ts';

/** A rule for clients, a row of the registry. */
export interface ClientRule {
  readonly id: ClientRuleId;
  readonly area: string;
  readonly side: 'client';
  readonly level: 'MUST' | 'SHOULD';
  readonly text: string;
  /** Words of the contract that state the rule; absent for a rule from another source. */
  readonly quote?: string;
  readonly source: string;
  readonly versions: readonly ClientVersion[];
  readonly note?: string;
}

/** All rules for clients, in file order. */
const clientRules: readonly ClientRule[] = clientRequirements;

/** A rule for clients with the trials that judge it. */
export interface ListedClientRule extends ClientRule {
  readonly trials: readonly string[];
}

/** Rules and trials of a run. */
export interface ClientPlan {
  readonly rules: readonly ClientRule[];
  /** Trials in table order, including the control trials, which do the same work without a fault. */
  readonly trials: readonly Trial[];
}

/**
 * Returns the rules that the given ids, areas, generations, scenarios or trials select; all rules without a selection.
 * Throws SuiteError `usage` for an unknown name.
 */
export function listClientRules(only?: readonly string[]): ListedClientRule[] {
  const { rules } = planClient(only);
  return rules.map((rule) => ({ ...rule, trials: ruleTrials(rule.id) }));
}

/**
 * Returns the explanations of the rules that an id, area, generation, scenario or trial selects, separated by empty
 * lines. Throws SuiteError `usage` for an unknown word.
 */
export function explainClientRules(word: string): string {
  return planClient([word]).rules.map(explainClientRule).join('\n');
}

function explainClientRule(rule: ClientRule): string {
  const { id, level, area, versions, text, source, note } = rule;
  const judged = always.includes(id) ? ['every trial'] : ruleTrials(id);
  const lines = [
    `${level} ${id}  (${area}, ${versions.join(' ')}; a rule for clients)`,
    text,
    ...contractLines(rule),
    `Source: ${source.startsWith('practice ') ? `recommended practice, ${source.slice('practice '.length)}` : source}`,
    ...(note === undefined ? [] : [`Note: ${note}`]),
    `Judged by \`svc check-client\` in: ${judged.join(', ')}`,
  ];
  return `${lines.join('\n')}\n`;
}

/**
 * Returns the rules that the given ids, areas, generations, scenarios or trials select, and the trials that judge them,
 * with their control trials. Returns all rules and trials without a selection. Throws SuiteError `usage` for an unknown
 * name.
 */
export function planClient(only?: readonly string[]): ClientPlan {
  if (only === undefined) return { rules: clientRules, trials };
  const unknown = only.find((word) => !words().includes(word));
  if (unknown !== undefined) throw unknownWord(unknown);
  const namedRules = clientRules.filter(({ id, area }) => only.includes(id) || only.includes(area));
  const judging = trials.filter(
    (trial) =>
      namedRules.some(({ id }) => trial.judges.includes(id)) ||
      [trial.name, trial.version, trial.scenario].some((word) => only.includes(word)),
  );
  // A rule that every trial judges needs the trials without a fault only.
  const plain = namedRules.some(({ id }) => always.includes(id)) ? trials.filter(isPlain) : [];
  const chosen = new Set(
    [...judging, ...plain].flatMap(({ name, control }) => [name, ...(control === undefined ? [] : [control])]),
  );
  const planned = trials.filter(({ name }) => chosen.has(name));
  const byTrial = new Set(judging.flatMap(({ judges }) => judges));
  const isByRule = namedRules.length > 0;
  const rules = clientRules.filter((rule) =>
    isByRule ? namedRules.includes(rule) : byTrial.has(rule.id) || always.includes(rule.id),
  );
  return { rules, trials: planned };
}

function isPlain({ control, faults, states, prepare }: Trial): boolean {
  return [control, faults, states, prepare].every((part) => part === undefined);
}

/**
 * Returns the names of the trials that judge a rule. For a rule that every trial judges, returns only the trials
 * without faults, replaced states and prepared items.
 */
export function ruleTrials(id: ClientRuleId): string[] {
  const judging = trials.filter(always.includes(id) ? isPlain : ({ judges }) => judges.includes(id));
  return judging.map(({ name }) => name);
}

function words(): string[] {
  const ofRules = clientRules.flatMap(({ id, area }) => [id, area]);
  return [...ofRules, ...trials.flatMap(({ name, version, scenario }) => [name, version, scenario])];
}

function unknownWord(word: string): SuiteError {
  const meant = nearestWord(word, words());
  return new SuiteError('usage', {
    found: `"${word}", which names no rule for clients`,
    expected:
      'an id such as CLIENT-KEY-01, an area such as client-keys, a scenario such as run, a trial, or v2, v3, v4',
    next: meant === undefined ? 'see `svc list --side client`' : `try "${meant}", or see \`svc list --side client\``,
  });
}
