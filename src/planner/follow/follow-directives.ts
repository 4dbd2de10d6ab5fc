import type { JsonObject } from '#lib/json.ts';
import type { AgentWorld } from '#agent/agent.ts';
import type { Directive } from '../instructions/directive.ts';
import { wordsOf } from '../page/words.ts';
import type { Deed } from '#agent/answer/plan.ts';
import { askSchema } from './ask-schema.ts';
import { ask } from './ask.ts';
import { doDirective } from './do-directive.ts';
import { createWalker } from './walker.ts';

/** What came of following directives to their end. */
export interface Followed {
  readonly done: readonly Deed[];
  /** What the task's schema asks for; null without one. */
  readonly output: JsonObject | null;
  /** Answers to what was asked, in the page's words. */
  readonly answers: readonly string[];
  /** What the page said when something was sent, and where it ended. */
  readonly said: string | null;
  readonly url: string;
  readonly title: string;
}

/** What is to be followed. */
export interface ToFollow {
  readonly directives: readonly Directive[];
  /** What the output must be; null for free text. */
  readonly schema: JsonObject | null;
  /** Takes up everything that was done, also when it does not come to its end. */
  readonly done: Deed[];
}

/** "Do not order anything" bans every order. */
const ANY = new Set(wordsOf('anything something any yet now again'));

/** Follows directives one after the other. Rejects with a TabError or a FileError for the first that the page does not do. */
export async function followDirectives({ directives, schema, done }: ToFollow, world: AgentWorld): Promise<Followed> {
  const walker = await createWalker(world);
  for (const directive of directives)
    if (directive.kind === 'avoid') walker.avoided.push(wordsOf(directive.what).filter((word) => !ANY.has(word)));
  const answers: string[] = [];
  const agrees = directives.some(({ kind }) => kind === 'agree');
  for (const directive of directives) {
    if (agrees) await walker.tab.dialogs.answerNext({ accept: true, text: '' });
    if (directive.kind === 'ask')
      answers.push(schema === null ? await ask(walker, directive.question, directive.about) : directive.question);
    else await doDirective(directive, walker);
    done.push(...walker.done.splice(0));
  }
  const output = schema === null ? null : await askSchema(walker, answers.join(', '), schema);
  return { done, output, answers, said: walker.said, url: walker.url(), title: walker.title() };
}
