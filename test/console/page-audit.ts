/*
 * Expressions that run in a page of the console, because tests have no types of a page. Each returns a list of
 * problems, which is empty for a correct page.
 */

/**
 * Script that returns the elements that exceed the right edge of the window, except those in scrollable and visually
 * hidden elements.
 */
export const sticksOut = `[...document.querySelectorAll('body *')]
  .filter((element) => element.closest('.scroll, pre, .unseen') === null)
  .filter((element) => element.getBoundingClientRect().width > 0 && element.getBoundingClientRect().right > innerWidth + 1)
  .map((element) => element.tagName + '.' + element.className)`;

/** Script that returns the controls without an accessible name. */
export const unnamed = `[...document.querySelectorAll('a, button, input, select, textarea, iframe')]
  .filter((control) => {
    const labels = [...(control.labels ?? [])].map((label) => label.textContent);
    const texts = [control.getAttribute('aria-label'), control.title, control.matches('select, textarea') ? '' : control.textContent, ...labels];
    return texts.every((text) => (text ?? '').trim() === '');
  })
  .map((control) => control.outerHTML.slice(0, 100))`;

/** Script that returns the texts with a contrast below 4.5 (WCAG 2, level AA). */
export const unreadable = `(() => {
  const canvas = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
  const channels = (colour) => {
    canvas.clearRect(0, 0, 1, 1);
    canvas.fillStyle = colour;
    canvas.fillRect(0, 0, 1, 1);
    return [...canvas.getImageData(0, 0, 1, 1).data];
  };
  const light = (colour) => {
    const [red, green, blue] = colour.map((channel) => {
      const part = channel / 255;
      return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const behind = (element) => {
    if (element === null) return channels('white');
    const colour = channels(getComputedStyle(element).backgroundColor);
    return colour[3] === 255 ? colour : behind(element.parentElement);
  };
  const found = new Set();
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
    const element = node.parentElement;
    if (node.textContent.trim() === '' || !element.checkVisibility()) continue;
    if (element.closest('noscript, option, [disabled]') !== null) continue;
    const [front, back] = [light(channels(getComputedStyle(element).color)), light(behind(element))];
    const contrast = (Math.max(front, back) + 0.05) / (Math.min(front, back) + 0.05);
    if (contrast < 4.5) found.add(contrast.toFixed(2) + ' ' + node.textContent.slice(0, 40));
  }
  return [...found];
})()`;

/** Script that returns whether the focus is in a dialog or outside of the page. */
export const isFocusInDialog = `document.activeElement === document.body || document.activeElement.closest('dialog') !== null`;

/** Script that returns the accessible name of the focused element. */
export const focused = `document.activeElement.getAttribute('aria-label') ?? document.activeElement.textContent`;

/**
 * Returns a script that returns whether the first picture that matches a selector is loaded. The script scrolls to the
 * picture, because pictures out of view load late.
 */
export const isLoaded = (selector: string): string => `(() => {
  const picture = document.querySelector('${selector}');
  picture?.scrollIntoView();
  return picture !== null && picture.complete && picture.naturalWidth > 0;
})()`;

/** Script that returns whether the page has a playable video. */
export const canPlay = `(() => {
  const video = document.querySelector('video');
  return video !== null && video.error === null && video.readyState >= HTMLMediaElement.HAVE_METADATA && video.videoWidth > 0;
})()`;

/**
 * Script that delays the first request for events until the page has read that the run is completed. The events then
 * arrive after the completed run was rendered, but before the effects of this rendering have run.
 */
export const delayFirstEvents = `(() => {
  const send = window.fetch;
  window.requestAnimationFrame = (frame) => setTimeout(() => frame(performance.now()), 200);
  let isHeld = false;
  let held = null;
  window.fetch = async (...given) => {
    const url = String(given[0]);
    if (url.includes('/events?') && !isHeld) {
      isHeld = true;
      return new Promise((resolve) => (held = { given, resolve }));
    }
    const response = await send(...given);
    if (held !== null && url.includes('/runs?sessionId') && (await response.clone().text()).includes('"status":"completed"')) {
      const { given: late, resolve } = held;
      held = null;
      const events = await send(...late);
      const text = await events.text();
      setTimeout(() => resolve(new Response(text, events)), 10);
    }
    return response;
  };
})()`;

/**
 * Returns a script that sends requests from a page on another port with the login of the page's browser. Each result is
 * `blocked` if the browser blocks the request, otherwise the type of the response, such as `opaque`.
 */
export const attack = (address: string): string => `(async () => {
  const tries = [
    { url: '/console/api/keys', init: { method: 'POST', headers: { 'content-type': 'application/json', 'x-service-console': 'x' }, body: '{}' } },
    { url: '/console/api/login', init: { method: 'POST', mode: 'no-cors', body: '{"key":"svc_other"}' } },
    { url: '/console/api/login', init: { method: 'GET', mode: 'no-cors' } },
  ];
  const results = [];
  for (const { url, init } of tries)
    results.push(await fetch('${address}' + url, { ...init, credentials: 'include' }).then(({ type }) => type, () => 'blocked'));
  return results;
})()`;
