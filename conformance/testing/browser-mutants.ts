import type { Fault } from './faults.ts';

/**
 * Faults of standalone browsers, each with the exact ids that must fail. They are judged with the spend level
 * `browser` and both keys.
 */
export const browserFaults: Partial<Record<Fault, string>> = {
  'browser without country refused': 'V4-BROWSER-08 V4-BROWSER-09',
  'country us refused': 'V4-BROWSER-23',
  'country null refused': 'V4-BROWSER-23',
  'listed country refused': 'V4-BROWSER-12',
  'another default country': 'V4-BROWSER-10',
  'null keeps the managed proxy': 'V4-BROWSER-11',
  'country ignored': 'SVC-05',
  'record shows another country': 'SVC-05',
  'country is us after a reconnect': 'SVC-05',
  'null is proxied after a reconnect': 'V4-BROWSER-11',
  'browser without id': 'V4-BROWSER-14 V4-BROWSER-16',
  'browser without cdpUrl': 'SVC-02 V4-BROWSER-15 V4-BROWSER-16',
  'browser with a screen size without cdpUrl': 'V4-BROWSER-15',
  'dead CDP address': 'SVC-03 V4-BROWSER-08 V4-BROWSER-17',
  'dead CDP address without a proxy': 'V4-BROWSER-17',
  'browser record without cdpUrl': 'V4-BROWSER-16',
  // Playwright can close its browser object only by ending the connection.
  'browser ends when a client leaves': 'SVC-03 V4-BROWSER-01 V4-BROWSER-02 V4-BROWSER-04',
  'browser ends when a connection drops': 'V4-BROWSER-03',
  'browser ends at Browser.close': 'V4-BROWSER-02',
  'browser is new at each connection': 'V4-BROWSER-01 V4-BROWSER-02 V4-BROWSER-03 V4-BROWSER-04 V4-BROWSER-22',
  'one CDP client at a time': 'V4-BROWSER-22',
  'Puppeteer not served': 'SVC-03',
  'browser ends with time': 'V4-BROWSER-04',
  'billing goes on after the stop': 'V4-BROWSER-06 V4-BROWSER-07',
  'unused time is charged': 'V4-BROWSER-07',
  'null pays for the proxy': 'V4-BROWSER-24',
  'stop of an ended browser refunds all': 'V4-BROWSER-07',
  'second stop takes the refund back': 'V4-BROWSER-07',
  'recorded browser ends with time': 'V4-BROWSER-25',
  'only whole hours of a browser are refunded': 'V4-BROWSER-07',
  // The two minutes of one browser are over after a few requests.
  'timeout of a browser counted in a smaller unit': 'V4-BROWSER-25',
  'recorded browser is not stopped': 'V4-BROWSER-18',
  'browser stop refused': 'V4-BROWSER-05 V4-BROWSER-18 V4-BROWSER-20',
  'stop answers another id': 'V4-BROWSER-20',
  'stop with white space refused': 'V4-BROWSER-18',
  'browser stop does nothing': 'V4-BROWSER-18 V4-BROWSER-19',
  'CDP address outlives the browser': 'V4-BROWSER-19',
  'stopped browser is still driven': 'V4-BROWSER-18',
  'stopped browser reads as active': 'V4-BROWSER-18',
  'stopped browser becomes active again': 'V4-BROWSER-18',
  // A record that is not found counts as the record of a browser that has ended.
  'browser id is another': 'V4-BROWSER-05 V4-BROWSER-15 V4-BROWSER-18 V4-BROWSER-19 V4-BROWSER-20',
  'wrong action stops a live browser': 'V4-BROWSER-21 V4-BROWSER-25',
  'refused action stops a browser': 'V4-BROWSER-25',
  'browser ends with its last page': 'V4-BROWSER-27',
  'browser ends when a client leaves its page':
    'SVC-03 V4-BROWSER-01 V4-BROWSER-02 V4-BROWSER-03 V4-BROWSER-04 V4-BROWSER-25',
  'foreign browser ends with a newer one': 'V4-BROWSER-25',
  'newer foreign browser cuts the clients off': 'V4-BROWSER-25',
  // The address of a browser that was ended this way may also be tried after its end.
  'browser without a proxy ends with a newer one': 'V4-BROWSER-25 V4-BROWSER-17?',
  // Two scenarios have a browser in the default country at the same time.
  'browser ends with a newer one in its country': 'V4-BROWSER-25 V4-BROWSER-08? V4-BROWSER-16? V4-BROWSER-17? SVC-03?',
  'other project reads browsers': 'TENANCY-20',
  'other project stops browsers': 'TENANCY-21 TENANCY-23',
  'other project lists browsers': 'TENANCY-22',
};

/** The areas and requirement ids that can detect these faults. */
export const browserRows: readonly string[] = ['browsers', 'SVC-02', 'SVC-03', 'SVC-05', 'tenancy'];
