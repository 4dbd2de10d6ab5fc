/*
 * Makes a page drift, and reports which elements are used. Every reply with a page begins with this script; `KIND` is
 * replaced by the kind of the drift. An element keeps its identity in a WeakMap, so no part of the page shows it.
 */
(() => {
  const kind = 'KIND';
  const truths = new WeakMap();
  const counts = new Map();
  const done = new WeakSet();
  const controls = 'a[href],button,input,select,textarea,summary,[role],tr,td,th,label,[tabindex]';
  const all = (root, selector) => [...(root.matches?.(selector) ? [root] : []), ...root.querySelectorAll(selector)];
  const words = (text) => (text ?? '').replaceAll(/\s+/g, ' ').trim().slice(0, 80);

  /** Gives an element the identity that it has on a page without drift. */
  const identify = (element) => {
    if (truths.has(element)) return;
    const row = element.parentElement?.closest('tr,li,article');
    const parts = [element.localName, element.getAttribute('name'), element.getAttribute('aria-label')];
    const text = [...parts, element.getAttribute('value'), words(element.textContent), words(row?.textContent)].join(
      '|',
    );
    const count = (counts.get(text) ?? 0) + 1;
    counts.set(text, count);
    truths.set(element, `${location.pathname} ${text} ${count}`);
  };

  const report = (event) => {
    const used = event.composedPath().find((one) => truths.has(one));
    const said = used === undefined ? `${location.pathname} nothing` : truths.get(used);
    void fetch(`/drift-report?said=${encodeURIComponent(`${event.type} ${said}`)}`, { keepalive: true });
  };
  for (const type of ['click', 'input', 'change']) addEventListener(type, report, true);

  /** Changes the text of an element, or the attribute that shows it. */
  const rename = (element, change) => {
    if (done.has(element)) return;
    done.add(element);
    for (const name of ['aria-label', 'placeholder', 'title', 'alt'])
      if (element.hasAttribute(name)) element.setAttribute(name, change(element.getAttribute(name)));
    if (element.matches('input[type=submit],input[type=button]')) element.value = change(element.value);
    if (element.localName === 'option' && !element.hasAttribute('value')) element.value = element.textContent;
    for (const node of element.childNodes)
      if (node.nodeType === Node.TEXT_NODE && node.data.trim() !== '') node.data = change(node.data);
  };
  const renamed = (selector, change) => (root) => {
    for (const element of all(root, selector)) rename(element, change);
  };
  const politely = (text) => `Please ${text.trim()}`;
  const backwards = (text) => text.replaceAll(/\p{L}+/gu, (word) => [...word].toReversed().join(''));

  /** Adds an element that the page of the site does not have. Using this element is a wrong action. */
  const decoy = (markup, place = 'afterbegin') => {
    const holder = document.createElement('div');
    holder.innerHTML = markup;
    for (const element of all(holder, controls)) truths.set(element, `decoy ${words(element.textContent)}`);
    document.body.insertAdjacentElement(place, holder);
  };
  const escaped = (text) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
  const names = (selector) => [
    ...new Set([...document.querySelectorAll(selector)].map((one) => words(one.textContent) || words(one.value))),
  ];

  /** Changes of the whole page, made once when the page has been parsed. */
  const once = {
    classes() {
      for (const element of document.querySelectorAll('[class]')) element.className = `x-${element.className}-9f3`;
    },
    wrapped() {
      for (const element of document.querySelectorAll('button,input:not([type=hidden]),select,textarea')) {
        const box = document.createElement('div');
        element.replaceWith(box);
        box.append(element);
      }
    },
    'moved-navigation'() {
      for (const element of document.querySelectorAll('nav,header')) document.body.append(element);
    },
    'moved-buttons'() {
      for (const form of document.querySelectorAll('form'))
        for (const element of form.querySelectorAll('button,input[type=submit]')) form.prepend(element);
    },
    'reordered-fields'() {
      for (const form of document.querySelectorAll('form')) {
        const labels = [...form.children].filter((child) => child.matches('label'));
        const spots = labels.map((label) => {
          const spot = document.createComment('');
          label.replaceWith(spot);
          return spot;
        });
        for (const spot of spots) spot.replaceWith(labels.pop());
      }
    },
    'reordered-lists'() {
      for (const list of document.querySelectorAll('ul,ol,tbody')) list.append(...[...list.children].toReversed());
    },
    headings() {
      for (const element of document.querySelectorAll('h1,h2,h3')) rename(element, politely);
    },
    duplicates() {
      for (const link of document.querySelectorAll('a[href]')) {
        const copy = link.cloneNode(true);
        truths.set(copy, truths.get(link));
        document.body.append(copy);
      }
    },
    'decoy-buttons'() {
      for (const name of names('button,input[type=submit]')) decoy(`<button type="button">${escaped(name)}</button>`);
    },
    'decoy-links'() {
      for (const name of names('a[href]')) decoy(`<a href="/decoy">${escaped(name)}</a>`);
    },
    'decoy-fields'() {
      for (const name of names('label'))
        decoy(`<form action="/decoy"><label>${escaped(name)} <input name="decoy"></label></form>`);
    },
    'replaced-buttons'() {
      for (const button of document.querySelectorAll('form button, form input[type=submit]')) {
        const other = document.createElement('button');
        other.type = 'button';
        other.textContent = words(button.textContent) || button.value;
        truths.set(other, `decoy ${other.textContent}`);
        button.replaceWith(other);
      }
    },
    delay() {
      document.body.hidden = true;
      setTimeout(() => (document.body.hidden = false), 700);
    },
    banner() {
      const text =
        '<h2>Only today</h2><p>Save 20 %</p><button type="button">Continue</button> <a href="/offer">Save</a>';
      decoy(`<section aria-label="Offer">${text}</section>`);
    },
    'variant-layout'() {
      for (const form of document.querySelectorAll('form')) {
        const section = document.createElement('section');
        section.setAttribute('aria-label', 'New form');
        form.replaceWith(section);
        section.append(form);
        form.insertAdjacentHTML('beforebegin', '<h2>Tell us</h2>');
      }
    },
  };

  /** Changes of texts, also of elements that are added later. */
  const always = {
    'relabelled-buttons': renamed('button,input[type=submit]', politely),
    'relabelled-links': renamed('a[href]', politely),
    'relabelled-fields': renamed('label,legend,[placeholder],input[aria-label]', politely),
    language: renamed('body *:not(script):not(style)', backwards),
    counters: renamed('nav a', (text) => `${text.trim()} (3)`),
  };

  const drift = (root) => {
    for (const element of all(root, controls)) identify(element);
    always[kind]?.(root);
  };
  const watch = (root) =>
    new MutationObserver((changes) => {
      for (const { addedNodes } of changes)
        for (const node of addedNodes) if (node.nodeType === Node.ELEMENT_NODE) drift(node);
    }).observe(root, { childList: true, subtree: true });
  const attachShadow = Object.getOwnPropertyDescriptor(Element.prototype, 'attachShadow').value;
  Element.prototype.attachShadow = function attach(options) {
    const root = attachShadow.call(this, options);
    for (const type of ['click', 'input', 'change']) root.addEventListener(type, () => undefined);
    watch(root);
    return root;
  };
  addEventListener('DOMContentLoaded', () => {
    drift(document.body);
    once[kind]?.();
    watch(document.body);
  });
})();
