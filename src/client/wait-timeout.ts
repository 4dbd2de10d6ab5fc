/** What was waited for has not ended in time; it goes on. */
export class WaitTimeout extends Error {
  override readonly name = 'WaitTimeout';
}
