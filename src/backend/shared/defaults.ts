/** What `proxyCountryCode` means when a request leaves it out (companion 4.5, 6.2, 7.2.1). */
export const defaultProxyCountry = 'us';
