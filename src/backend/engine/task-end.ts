/** Why a task was ended from outside. */
export type TaskEndKind = 'stopped' | 'ceiling' | 'crash' | 'shutdown';

/** The reason an abort signal of a task carries. */
export class TaskEnd extends Error {
  override readonly name = 'TaskEnd';
  readonly kind: TaskEndKind;

  constructor(kind: TaskEndKind) {
    super(`the task was ended: ${kind}`);
    this.kind = kind;
  }
}
