/** The signal as a member of a request, where there is one. */
export function signalled(signal: AbortSignal | undefined): { readonly signal?: AbortSignal } {
  return signal === undefined ? {} : { signal };
}
