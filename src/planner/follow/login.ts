import { fitting } from '../page/controls.ts';
import { nodesIn, type PageNode } from '../page/page-node.ts';
import { wordsOf } from '../page/words.ts';
import { enter } from './enter.ts';
import { pick } from './pick.ts';
import { submit } from './submit.ts';
import { visit } from './visit.ts';
import { cannot, type Walker } from './walker.ts';

/** Fills a log-in form and sends it, once; a page that still asks for a password has not let in. */
export async function logIn(walker: Walker, user: string, password: string): Promise<void> {
  if (passwordField(walker) === null) await visit(walker, 'log in');
  const secret = await walker.lookFor(() => passwordField(walker));
  const name = secret === null ? null : nameField(walker, secret);
  if (secret === null || name === null) throw cannot('There is no form to log in with on the page.');
  await enter(walker, name, user);
  const again = passwordField(walker);
  if (again === null) throw cannot('The field for the password has gone.');
  await enter(walker, again, password);
  await submit(walker, 'log in', '');
  if (passwordField(walker) !== null) throw cannot('The page still asks for the password: it did not let me in.');
}

function passwordField(walker: Walker): PageNode | null {
  return pick(
    walker,
    fitting(walker.page(), { words: wordsOf('password'), roles: ['textbox'], useContext: false }),
    'password',
  );
}

/** The field for the name: the last one before that for the password. */
function nameField(walker: Walker, password: PageNode): PageNode | null {
  const fields = nodesIn(walker.page()).filter(({ role }) => role === 'textbox');
  return fields[fields.findIndex(({ ref }) => ref === password.ref) - 1] ?? null;
}
