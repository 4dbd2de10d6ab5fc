/** Why a row is not testable that only a provider stub shows. */
export const noStub = 'the target file names no provider stub (providerStub)';
