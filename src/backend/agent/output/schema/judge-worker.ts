import { parentPort } from 'node:worker_threads';
import type { JudgeAnswer, JudgeQuestion } from './judge-message.ts';
import { judgeValue } from './judge-value.ts';

// A thread of its own, started by `createOutputJudge`: a schema from outside may stop it, and stops nobody else.
parentPort?.on('message', ({ id, schema, valueText }: JudgeQuestion) => {
  const answer: JudgeAnswer = { id, errors: judgeValue(schema, valueText) };
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread is no window
  parentPort?.postMessage(answer);
});
