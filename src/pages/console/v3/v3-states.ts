/** Whether a task of a session of that status waits or works. */
export function isWorking(status: string): boolean {
  return status === 'created' || status === 'running';
}

/** Whether a session of that status lives. */
export function isAlive(status: string): boolean {
  return isWorking(status) || status === 'idle';
}
