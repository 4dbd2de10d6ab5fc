/** Why a task was ended from outside. */
export type TaskEndKind = 'stopped' | 'ceiling' | 'unserved' | 'crash' | 'shutdown';

/** The reason an abort signal of a task carries. */
export class TaskEnd extends Error {
  override readonly name = 'TaskEnd';
  readonly kind: TaskEndKind;
  /** What the task's record says of it. */
  readonly reason: string;

  constructor(kind: TaskEndKind, reason = kind === 'ceiling' ? 'cost ceiling reached' : kind) {
    super(`the task was ended: ${kind}`);
    this.kind = kind;
    this.reason = reason;
  }
}
