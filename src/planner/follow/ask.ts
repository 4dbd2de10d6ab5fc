import { answerQuestion } from '../page/answer-question.ts';
import { tableWords } from '../page/table-answer.ts';
import { wordsOf } from '../page/words.ts';
import { shortened } from '../shortened.ts';
import { askTable } from './ask-tables.ts';
import { cannot, type Walker } from './walker.ts';

const ADDRESS = /\b(?:address|url|link)\s+of\s+(?:the|this|that)\s+(?:new\s+)?(?:page|thread|post|article|entry|\w+)$/i;
const OTHER_ADDRESS = /\b(?:e-?mail|street|postal|home|delivery)\b/i;

/** Answers a question by what the page says; gives up when it does not say it. */
export async function ask(walker: Walker, question: string, about: string): Promise<string> {
  const named = wordsOf(about);
  const found = await walker.lookFor((page) =>
    answerQuestion(page, { text: question, about: named.length > 0 ? named : walker.named }),
  );
  const answer =
    found ??
    (ADDRESS.test(question) && !OTHER_ADDRESS.test(question) ? walker.url() : await askWhole(walker, question));
  if (answer === null) throw cannot(`The page does not tell me: ${shortened(question)}.`);
  const usage = { inputTokens: 0, outputTokens: 0 };
  await walker.world.step({
    summary: `Read: ${shortened(answer)}`,
    action: { kind: 'read', what: 'text' },
    url: walker.url(),
    usage,
  });
  return answer;
}

async function askWhole(walker: Walker, question: string): Promise<string | null> {
  const answer = await askTable(walker, question);
  return answer === null ? null : tableWords(answer, question);
}
