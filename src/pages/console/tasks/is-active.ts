/** Whether a run of that status goes on. */
export function isActive(status: string): boolean {
  return ['queued', 'dispatching', 'running'].includes(status);
}
