/**
 * Rule for oxlint that forbids regular expressions built at run time. eslint-plugin-regexp does not check them, and an
 * expression built from untrusted text can block the process.
 */
const noDynamicPattern = {
  meta: {
    type: 'problem',
    docs: { description: 'Forbids regular expressions that are put together at run time.' },
    messages: {
      dynamic:
        'Expected a literal pattern, found one that is put together at run time. Search foreign text with indexOf or a matcher. If all parts are our own, say so: // oxlint-disable-next-line svc/no-dynamic-pattern -- <reason>',
    },
    schema: [],
  },
  create(context) {
    const check = (node) => {
      const [pattern] = node.arguments;
      if (node.callee.type !== 'Identifier' || node.callee.name !== 'RegExp' || isLiteral(pattern)) return;
      context.report({ node, messageId: 'dynamic' });
    };
    return { NewExpression: check, CallExpression: check };
  },
};

function isLiteral(node) {
  if (node === undefined || node.type === 'Literal') return true;
  return node.type === 'TemplateLiteral' && node.expressions.length === 0;
}

const queryBuilders = new Set(['selectFrom', 'selectNoFrom', 'insertInto', 'updateTable', 'deleteFrom', 'mergeInto']);

/**
 * Rule for oxlint that forbids SQL, as a query builder or a template, outside src/store. Other code uses functions of
 * the store.
 */
const noSql = {
  meta: {
    type: 'problem',
    docs: { description: 'Forbids SQL outside the store.' },
    messages: {
      sql: 'Expected a function of src/store/queries, found SQL. Move the query there and return a domain type.',
    },
    schema: [],
  },
  create(context) {
    return {
      CallExpression(node) {
        const { callee } = node;
        if (callee.type === 'MemberExpression' && queryBuilders.has(callee.property.name))
          context.report({ node, messageId: 'sql' });
      },
      TaggedTemplateExpression(node) {
        if (node.tag.type === 'Identifier' && node.tag.name === 'sql') context.report({ node, messageId: 'sql' });
      },
    };
  },
};

/**
 * Rule for oxlint that forbids variables and constants with names in UPPER_CASE. Does not check other names, such as
 * members of objects, because an external API may prescribe them.
 */
const camelCaseConstants = {
  meta: {
    type: 'problem',
    docs: { description: 'Forbids constants in UPPER_CASE.' },
    messages: { upper: 'Expected {{ expected }}, found {{ found }}. Write names of constants in camelCase.' },
    schema: [],
  },
  create(context) {
    return {
      VariableDeclarator({ id }) {
        if (id.type !== 'Identifier' || !/^[A-Z][A-Z0-9_]+$/.test(id.name)) return;
        const expected = id.name.toLowerCase().replaceAll(/_+(\w)/g, (_match, letter) => letter.toUpperCase());
        context.report({ node: id, messageId: 'upper', data: { expected, found: id.name } });
      },
    };
  },
};

export default {
  meta: { name: 'svc' },
  rules: { 'no-dynamic-pattern': noDynamicPattern, 'no-sql': noSql, 'camel-case-constants': camelCaseConstants },
};
