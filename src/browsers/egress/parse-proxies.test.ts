import { describe, expect, it } from 'vitest';
import { createDataFile } from '#lib/testing/create-data-file.ts';
import { defaultRules } from '#contract/rule-book.ts';
import { type ExitOptions, selectExit } from './managed-proxy.ts';
import { parseProxies, type ProxyTable } from './proxy-file.ts';

const environment = { NAME: 'ann', WORD: 'p{country}ss}', LONG: 'x'.repeat(256), URL: 'https://p.example:3128' };
const codes = defaultRules.countries.countries.map(({ code }) => code);

function read(text: string): ProxyTable {
  return parseProxies({ file: createDataFile(text, 'p.yaml'), environment, codes });
}

function exitIn(
  proxies: ProxyTable,
  proxyCountryCode: string | null,
  changes: Partial<ExitOptions> = {},
): ReturnType<typeof selectExit> {
  const wanted = { sessionId: 'one', proxyCountryCode };
  return selectExit({ countries: defaultRules.countries, proxies, required: false, ...changes }, wanted);
}

describe('a file of proxies', () => {
  const table = read(`
proxies:
  - countries: [de, at]
    url: socks5://{country}.proxy.example:1080
    username: '\${NAME}-cc-{COUNTRY}-session-{session}'
    password: \${WORD}
    names: there
  - { countries: [us], direct: true }
  - { countries: [fr], url: '\${URL}', ignoreCertErrors: true }
  - { countries: all, url: 'http://[2001:db8::1]:8080/' }
`);

  it('gives a country its proxy, filled in for it and for the browser', () => {
    const { upstream, isMetered } = exitIn(table, 'at');
    expect(upstream).toEqual({
      scheme: 'socks5',
      host: 'at.proxy.example',
      port: 1080,
      username: expect.stringMatching(/^ann-cc-AT-session-[0-9a-f]{16}$/),
      password: 'p{country}ss}',
      ignoreCertErrors: false,
      country: 'at',
      names: 'there',
    });
    expect(isMetered).toBe(true);
    expect(exitIn(table, 'at').upstream).toEqual(upstream);
    const other = selectExit(
      { countries: defaultRules.countries, proxies: table, required: false },
      { sessionId: 'two', proxyCountryCode: 'at' },
    );
    expect(other.upstream?.username).not.toBe(upstream?.username);
  });

  it('leaves no country out where a row is for all others', () => {
    expect(exitIn(table, 'us')).toMatchObject({ upstream: null, isMetered: true });
    expect(exitIn(table, 'fr').upstream).toMatchObject({ scheme: 'https', host: 'p.example', ignoreCertErrors: true });
    expect(exitIn(table, 'jp').upstream).toMatchObject({
      host: '2001:db8::1',
      port: 8080,
      username: null,
      names: 'here',
    });
    expect(table.size).toBe(codes.length);
  });

  it('says nothing of browsers without a country or with a proxy of their own', () => {
    expect(exitIn(table, null)).toEqual({ upstream: null, place: null, isMetered: false });
    const customProxy = {
      scheme: 'http',
      host: 'own.example',
      port: 1,
      username: null,
      password: null,
      ignoreCertErrors: false,
    } as const;
    const wanted = { sessionId: 'one', proxyCountryCode: 'de', customProxy };
    const options = { countries: defaultRules.countries, proxies: table, required: true };
    expect(selectExit(options, wanted)).toEqual({ upstream: customProxy, place: null, isMetered: false });
  });

  it('fails for a country without a proxy when a proxy is required', () => {
    const few = read('proxies: [{ countries: [de], direct: true }]');
    expect(exitIn(few, 'fr').upstream).toBeNull();
    expect(() => exitIn(few, 'fr', { required: true })).toThrow('Found no managed proxy for fr');
    expect(exitIn(few, 'de', { required: true }).place?.timeZone).toBe('Europe/Berlin');
  });
});

describe('a file of proxies with a mistake says where it is', () => {
  const url = 'url: http://p.example:1';
  it.each([
    ['', 'the file must be object'],
    ['proxys: []', 'the file has the unknown member "proxys"'],
    ['proxies: [{}]', "proxies.0 must have required property 'countries'"],
    [`proxies: [{ countries: de, ${url} }]`, 'proxies.0.countries is neither all nor a list of codes'],
    [`proxies: [{ countries: [gb], ${url} }]`, 'proxies.0.countries has "gb", expected codes of ProxyCountryCode'],
    [
      `proxies: [{ countries: [de], ${url} }, { countries: [de], ${url} }]`,
      'proxies.1.countries has de, which an earlier row has',
    ],
    [
      `proxies: [{ countries: all, ${url} }, { countries: all, ${url} }]`,
      'proxies.1.countries is all, which an earlier row is',
    ],
    [`proxies: [{ countries: [de], ${url}, pasword: x }]`, 'proxies.0 has the unknown member "pasword"'],
    [`proxies: [{ countries: [de], ${url}, names: them }]`, 'proxies.0.names must be one of here, there'],
    ['proxies: [{ countries: [de] }]', 'proxies.0.url is missing, expected http://, https:// or socks5://'],
    ['proxies: [{ countries: [de], url: "ftp://p.example:1" }]', 'proxies.0.url is no address of a proxy'],
    ['proxies: [{ countries: [de], url: "http://p.example" }]', 'proxies.0.url is no address of a proxy'],
    ['proxies: [{ countries: [de], url: "http://p.example:99999" }]', 'proxies.0.url is no address of a proxy'],
    ['proxies: [{ countries: [de], url: "http://ann:secret@p.example:1" }]', 'proxies.0.url has credentials'],
    [`proxies: [{ countries: [de], direct: true, ${url} }]`, 'proxies.0 is direct and has url besides'],
    [
      `proxies: [{ countries: [de], ${url}, password: "\${MISSING}" }]`,
      'proxies.0.password names the variable MISSING',
    ],
    [
      `proxies: [{ countries: [de], ${url}, username: "a-{land}" }]`,
      'proxies.0.username has {land}, expected {country}',
    ],
    [`proxies: [{ countries: [de], ${url}, username: "a:b" }]`, 'proxies.0.username has a colon'],
    [
      'proxies: [{ countries: [de], url: "socks5://p:1", password: "${LONG}" }]',
      'proxies.0.password is longer than the 255 bytes',
    ],
  ])('%s', (text, message) => {
    expect(() => read(text)).toThrow(message);
    expect(() => read(text)).toThrow(/^Found in p\.yaml/);
  });

  it('tells all of them at once, and no secret', () => {
    const text =
      'proxies: [{ countries: [xx, yy], url: "http://u:secret@p:1", username: "secret:{x}", password: "${NONE}secret" }]';
    expect(() => read(text)).toThrow(/url.*username.*password.*"xx".*"yy"/);
    expect(() => read(text)).not.toThrow('secret');
  });
});
