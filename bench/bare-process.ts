import { type BareAnswers, startBareServer } from './bare-server.ts';

/** Runs the bare server in a child process: receives its answers, sends its URL, and ends with its parent. */
process.once('message', (answers: BareAnswers) => {
  void startBareServer(answers).then(({ address }) => process.send?.(address));
});
process.once('disconnect', () => process.exit());
