/**
 * Hosts that browsers must not reach, in the notations that a page may use. There is at least one for each class of
 * addresses. `insideNames` has the addresses of host names.
 */
export const forbiddenHosts: Readonly<Record<string, string>> = {
  loopback: '127.0.0.1',
  'another loopback': '127.8.9.10',
  'loopback by name': 'localhost',
  'below localhost': 'a.localhost',
  'loopback, version 6': '[::1]',
  'this machine': '0.0.0.0',
  'this machine, version 6': '[::]',
  'link-local': '169.254.1.1',
  metadata: '169.254.169.254',
  'link-local, version 6': '[fe80::1]',
  'private, 10/8': '10.1.2.3',
  'private, 172.16/12': '172.16.0.1',
  'private, 192.168/16': '192.168.1.1',
  'carrier-grade NAT': '100.64.0.1',
  'private, version 6': '[fd00::1]',
  'mapped, dotted': '[::ffff:127.0.0.1]',
  'mapped, hex': '[::ffff:a01:203]',
  translated: '[64:ff9b::7f00:1]',
  '6to4': '[2002:7f00:1::]',
  multicast: '224.0.0.1',
  decimal: '2130706433',
  octal: '0177.0.0.1',
  hex: '0x7f000001',
  short: '127.1',
  'wide digits': '１２７.0.0.1',
  'percent-encoded': '%31%32%37.0.0.1',
  'a name inside': 'inside.example',
  'a name of loopback': 'loop.example',
  'a name of version 6': 'six.example',
  'a name inside and outside': 'both.example',
};

/**
 * Addresses of host names in the name resolution of the test. All other names resolve to loopback, except names that
 * begin with `rebind`.
 */
export const insideNames: Readonly<Record<string, readonly string[]>> = {
  'inside.example': ['10.0.0.7'],
  'six.example': ['fd00::7'],
  'both.example': ['93.184.215.14', '192.168.0.7'],
};

/**
 * Scripts by which a page sends a request. They use `place` (`host:port`), `url` (`http://host:port/`) and `helpers`,
 * and ignore the response.
 */
export const pageWays: Readonly<Record<string, string>> = {
  fetch: `fetch(url, { mode: 'no-cors' }).catch(() => 0)`,
  XHR: `const x = new XMLHttpRequest(); x.open('GET', url); x.send()`,
  image: `new Image().src = url`,
  script: `add('script', { src: url })`,
  'style sheet': `add('link', { rel: 'stylesheet', href: url })`,
  font: `new FontFace('f', 'url(' + url + ')').load().catch(() => 0)`,
  video: `add('video', { src: url, preload: 'auto' })`,
  object: `add('object', { data: url })`,
  module: `import(url).catch(() => 0)`,
  prefetch: `add('link', { rel: 'prefetch', href: url })`,
  frame: `add('iframe', { src: url })`,
  'frame that moves on': `add('iframe', { srcdoc: '<script>location = ' + JSON.stringify(url) + '<' + '/script>' })`,
  'frame that refreshes': `add('iframe', { srcdoc: '<meta http-equiv="refresh" content="0;url=' + url + '">' })`,
  beacon: `navigator.sendBeacon(url, 'x')`,
  'event source': `new EventSource(url)`,
  websocket: `new WebSocket('ws://' + place)`,
  'secure websocket': `new WebSocket('wss://' + place)`,
  worker: `inWorker(url)`,
  'shared worker': `inSharedWorker(url)`,
  'service worker': `inServiceWorker(url)`,
  'redirected fetch': `fetch('/to?' + encodeURIComponent(url), { mode: 'no-cors' }).catch(() => 0)`,
  'redirected frame': `add('iframe', { src: '/to?' + encodeURIComponent(url) })`,
  download: `add('iframe', { src: url + 'file' })`,
  upload: `upload(url)`,
  'TURN over TCP': `turn(place)`,
};

/**
 * Scripts for techniques that the headless shell does not support. A request by such a technique may be missing
 * altogether, but must not arrive.
 */
export const idleWays: Readonly<Record<string, string>> = {
  preconnect: `add('link', { rel: 'preconnect', href: 'https://' + place })`,
  'resolved early': `add('link', { rel: 'dns-prefetch', href: 'https://' + place })`,
  WebTransport: `new WebTransport('https://' + place).ready.catch(() => 0)`,
  'a file': `add('iframe', { src: 'file://' + place + '/etc/passwd' })`,
};

/** Script that defines functions for the scripts of `pageWays`. */
export const helpers = `
  const add = (name, members) => document.body.append(Object.assign(document.createElement(name), members));
  const code = 'onmessage = ({ data }) => fetch(data, { mode: "no-cors" }).catch(() => 0); onconnect = ({ ports: [port] }) => { port.onmessage = onmessage; };';
  const address = URL.createObjectURL(new Blob([code], { type: 'text/javascript' }));
  const worker = new Worker(address), shared = new SharedWorker(address);
  const inWorker = (url) => worker.postMessage(url);
  const inSharedWorker = (url) => shared.port.postMessage(url);
  await navigator.serviceWorker.register('/service-worker.js');
  const { active } = await navigator.serviceWorker.ready;
  const inServiceWorker = (url) => active.postMessage(url);
  const upload = (url) => {
    const frame = 'f' + Math.trunc(performance.now() * 1000), files = new DataTransfer();
    files.items.add(new File(['secret'], 'secret.txt'));
    add('iframe', { name: frame });
    const form = Object.assign(document.createElement('form'), { method: 'post', enctype: 'multipart/form-data', action: url, target: frame });
    form.append(Object.assign(document.createElement('input'), { type: 'file', name: 'file', files: files.files }));
    document.body.append(form);
    form.submit();
  };
  const turn = (place) => {
    const peer = new RTCPeerConnection({ iceServers: [{ urls: 'turn:' + place + '?transport=tcp', username: 'u', credential: 'c' }] });
    peer.createDataChannel('x');
    return peer.createOffer().then((offer) => peer.setLocalDescription(offer));
  };`;
