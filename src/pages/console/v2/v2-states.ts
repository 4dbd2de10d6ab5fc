/** Whether a task of that status waits or works. */
export function isWorking(status: string): boolean {
  return status === 'created' || status === 'started';
}
