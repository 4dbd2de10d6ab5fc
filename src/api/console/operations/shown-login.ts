import type { ConsoleLogin } from '#contract/console-messages.ts';
import type { RuleBook } from '#contract/rule-book.ts';
import type { ConsoleTools } from '../console-operation.ts';
import type { ConsoleSession } from '../login/console-sessions.ts';
import { providersOf } from './providers-of.ts';
import { shownProject } from './shown-project.ts';

/** Returns a login as its page shows it. */
export async function shownLogin(tools: ConsoleTools, login: ConsoleSession): Promise<ConsoleLogin> {
  const { rules, countries } = tools;
  const codes = rules.countries.countries.map(({ code }) => code);
  return {
    project: await shownProject(tools, login.projectId),
    isOperator: login.isOperator,
    expiresAt: new Date(login.expiresAtMs).toISOString(),
    models: modelsOf(rules),
    countries: codes.filter((code) => countries === null || countries.has(code)),
    providers: providersOf(rules),
    canExamine: tools.examinations !== null,
    hasModels: tools.hasProviders || (await tools.providerKeys.list(login.projectId)).length > 0,
  };
}

function modelsOf({ models: { v4 } }: RuleBook): string[] {
  const first = v4.recommended.model;
  return [first, ...v4.models.map(({ name }) => name).filter((model) => model !== first)];
}
