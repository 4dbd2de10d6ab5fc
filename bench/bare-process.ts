import { type BareAnswers, startBareServer } from './bare-server.ts';

/**
 * Child process with the bare server: receives the response bodies as a message, sends its URL, and ends with its
 * parent.
 */
process.once('message', (answers: BareAnswers) => {
  void startBareServer(answers).then(({ address }) => process.send?.(address));
});
process.once('disconnect', () => process.exit());
