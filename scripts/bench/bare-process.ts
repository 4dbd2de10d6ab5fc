import { type BareAnswers, startBareServer } from './bare-server.ts';

/** The bare server in a process of its own: told its answers, it tells its address. */
process.once('message', (answers: BareAnswers) => {
  void startBareServer(answers).then(({ address }) => process.send?.(address));
});
