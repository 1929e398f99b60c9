import { parser } from '@prometheus-io/lezer-promql';

/**
 * What a query asks for.
 * @typedef {{ label: string, op: string, value: string }} Matcher
 * @typedef {{ metric: string, matchers: Matcher[] }} Selector
 * @typedef {{ selectors: Selector[], grouping: string[] }} QueryParts
 * @typedef {ReturnType<typeof parser.parse>['topNode']} Node
 */

/** Takes a query apart. @param {string} query PromQL, with variables of Grafana or without @returns {QueryParts} @throws when it is not PromQL */
export const queryParts = (query) => {
  // Grafana puts durations in their place before Prometheus reads the query.
  const text = query.replace(/\[\$\w+\]/g, '[5m]');
  const textOf = (/** @type {Node | null} */ node) => (node ? text.slice(node.from, node.to) : '');
  const matcherOf = (/** @type {Node} */ node) => ({
    label: textOf(node.getChild('LabelName')),
    op: textOf(node.getChild('MatchOp')),
    value: textOf(node.getChild('StringLiteral')).slice(1, -1),
  });
  /** @type {QueryParts} */
  const parts = { selectors: [], grouping: [] };
  parser.parse(text).iterate({
    enter({ type, node }) {
      if (type.isError) throw new Error(`this is not PromQL at ${node.from}: ${text}`);
      if (type.name === 'GroupingLabels') parts.grouping.push(...node.getChildren('LabelName').map(textOf));
      if (type.name !== 'VectorSelector') return;
      const matchers = node.getChild('LabelMatchers')?.getChildren('UnquotedLabelMatcher') ?? [];
      parts.selectors.push({ metric: textOf(node.getChild('Identifier')), matchers: matchers.map(matcherOf) });
    },
  });
  return parts;
};
