/**
 * Rules about regular expressions for oxlint, beside those of eslint-plugin-regexp: an expression that is put together at run
 * time is seen by no other rule, and one that is made of foreign text can block the process.
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

// oxlint-disable-next-line import/no-default-export -- what oxlint loads of a plugin
export default { meta: { name: 'svc' }, rules: { 'no-dynamic-pattern': noDynamicPattern } };
