import { type BareAnswers, startBareServer } from './bare-server.ts';

/** The bare server in a process of its own: told its answers, it tells its address. It ends with whoever started it. */
process.once('message', (answers: BareAnswers) => {
  void startBareServer(answers).then(({ address }) => process.send?.(address));
});
process.once('disconnect', () => process.exit());
