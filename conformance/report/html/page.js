/*
 * Filters and sorts the table of requirements, opens linked parts, and copies commands. Without this script, the page
 * shows the same content.
 */
(() => {
  const root = document.documentElement;
  root.classList.add('scripted');
  const form = document.querySelector('form.filters');
  const body = document.querySelector('table.requirements tbody');
  const rows = [...body.rows];
  const texts = new Map(rows.map((row) => [row, row.textContent.toLowerCase()]));
  const output = form.querySelector('output');

  /** Returns the values of the checked boxes of a name; an empty list does not filter. */
  const checkedValues = (name) => [...form.querySelectorAll(`input[name="${name}"]:checked`)].map((box) => box.value);

  /** Hides the rows that do not match the form, and shows the number of the others. */
  function filter() {
    const words = form.elements.text.value.toLowerCase().split(/\s+/).filter(Boolean);
    const area = form.elements.area.value;
    const chosen = ['verdict', 'generations', 'level', 'profile'].map((name) => [name, checkedValues(name)]);
    let shown = 0;
    for (const row of rows) {
      const fits =
        (area === '' || row.dataset.area === area) &&
        chosen.every(
          ([name, values]) => values.length === 0 || values.some((one) => row.dataset[name].split(' ').includes(one)),
        ) &&
        words.every((word) => texts.get(row).includes(word));
      row.hidden = !fits;
      shown += fits ? 1 : 0;
    }
    output.textContent = `${shown} of ${rows.length} requirements`;
    document.getElementById('nothing-shown').hidden = shown > 0;
  }

  /** Returns the value by which a column sorts a row: a number for `verdict` and `cells`, otherwise the cell's text. */
  const getSortKey = (row, column) => {
    if (column === 'verdict') return Number(row.dataset.rank);
    if (column === 'cells') return Number(row.dataset.cells);
    return row.querySelector(`.${column}`).textContent.trim();
  };

  /** Sorts the rows by the column of a heading. A second call reverses the order. */
  function sort(head) {
    const direction = head.getAttribute('aria-sort') === 'ascending' ? 'descending' : 'ascending';
    for (const other of head.parentElement.cells) other.removeAttribute('aria-sort');
    head.setAttribute('aria-sort', direction);
    const sign = direction === 'ascending' ? 1 : -1;
    const compare = (a, b) => (typeof a === 'number' ? a - b : a.localeCompare(b, 'en', { numeric: true }));
    const column = head.dataset.sort;
    rows.sort(
      (a, b) => sign * compare(getSortKey(a, column), getSortKey(b, column)) || a.dataset.index - b.dataset.index,
    );
    body.append(...rows);
  }

  for (const head of document.querySelectorAll('th[data-sort]')) {
    const button = document.createElement('button');
    button.type = 'button';
    button.append(...head.childNodes);
    button.addEventListener('click', () => sort(head));
    head.append(button);
  }

  form.addEventListener('input', filter);
  form.addEventListener('submit', (event) => event.preventDefault());
  form.addEventListener('reset', () => setTimeout(filter));

  /** Shows the target of the URL's fragment: resets a filter that hides it, and opens the parts that contain it. */
  function showLinkTarget() {
    const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (target === null) return;
    if (target.hidden) {
      form.reset();
      filter();
    }
    target.hidden = false;
    const folded = target.querySelector(':scope > details');
    if (folded !== null) folded.open = true;
    for (let part = target.closest('details'); part !== null; part = part.parentElement.closest('details'))
      part.open = true;
    target.scrollIntoView();
  }
  addEventListener('hashchange', showLinkTarget);
  if (location.hash !== '') showLinkTarget();

  /** Scrolls each body so that its marked member is visible. */
  function scrollToMarks(part) {
    for (const pre of part.querySelectorAll('pre')) {
      const mark = pre.querySelector('mark');
      if (mark !== null) pre.scrollTop = mark.offsetTop - pre.clientHeight / 3;
    }
  }
  scrollToMarks(document);
  document.addEventListener('toggle', (event) => scrollToMarks(event.target), { capture: true });

  /** Copies the command beside a button. If the page may not use the clipboard, selects the command instead. */
  async function copy(button) {
    const code = button.parentElement.querySelector('code');
    try {
      await navigator.clipboard.writeText(code.textContent);
      button.textContent = 'Copied';
    } catch {
      getSelection().selectAllChildren(code);
      button.textContent = 'Selected';
    }
    button.addEventListener('blur', () => (button.textContent = 'Copy'), { once: true });
  }
  document.addEventListener('click', (event) => {
    const button = event.target.closest('button.copy');
    if (button !== null) void copy(button);
  });
})();
