// Filters, orders and copies; the page is whole without it.
(() => {
  const root = document.documentElement;
  root.classList.add('scripted');
  const form = document.querySelector('form.filters');
  const body = document.querySelector('table.requirements tbody');
  const rows = [...body.rows];
  const texts = new Map(rows.map((row) => [row, row.textContent.toLowerCase()]));
  const output = form.querySelector('output');

  /** Values of the boxes that are ticked under a name; nothing ticked lets everything through. */
  const ticked = (name) => [...form.querySelectorAll(`input[name="${name}"]:checked`)].map((box) => box.value);

  function filter() {
    const words = form.elements.text.value.toLowerCase().split(/\s+/).filter(Boolean);
    const area = form.elements.area.value;
    const chosen = ['verdict', 'generations', 'level', 'profile'].map((name) => [name, ticked(name)]);
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

  /** What an order looks at: numbers as numbers, everything else as the text of its cell. */
  const getSortKey = (row, column) => {
    if (column === 'verdict') return Number(row.dataset.rank);
    if (column === 'cells') return Number(row.dataset.cells);
    return row.querySelector(`.${column}`).textContent.trim();
  };

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

  /** A link to a row that a filter hides, or to what lies in a closed part, has to arrive all the same. */
  function arrive() {
    const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (target === null) return;
    if (target.hidden) {
      form.reset();
      filter();
    }
    if (target.hidden) target.hidden = false;
    const folded = target.querySelector(':scope > details');
    if (folded !== null) folded.open = true;
    for (let part = target.closest('details'); part !== null; part = part.parentElement.closest('details'))
      part.open = true;
    target.scrollIntoView();
  }
  addEventListener('hashchange', arrive);
  if (location.hash !== '') arrive();

  /** The member at fault is in sight, however far down it stands. */
  function showMark(part) {
    for (const pre of part.querySelectorAll('pre')) {
      const mark = pre.querySelector('mark');
      if (mark !== null) pre.scrollTop = mark.offsetTop - pre.clientHeight / 3;
    }
  }
  showMark(document);
  document.addEventListener('toggle', (event) => showMark(event.target), { capture: true });

  /** Where the clipboard is not offered the line is selected, so that a key does the rest. */
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
