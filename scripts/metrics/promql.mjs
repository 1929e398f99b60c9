/**
 * What a query asks for. Functions and aggregations are left to Prometheus' own parser, which the scenarios run.
 * @typedef {{ label: string, op: string, value: string }} Matcher
 * @typedef {{ metric: string, matchers: Matcher[] }} Selector
 * @typedef {{ selectors: Selector[], grouping: string[] }} QueryParts
 */

const token =
  /\s+|#[^\n]*|"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|\[[^\]]*\]|[A-Za-z_:][\w:]*|\$\w+|=~|!~|!=|==|[<>]=|\d[\w.]*|./gs;

const grouping = new Set(['by', 'without', 'on', 'ignoring', 'group_left', 'group_right']);
const operators = new Set(['and', 'or', 'unless', 'offset', 'bool', 'atan2']);
const aggregations = new Set('sum min max avg count group stddev stdvar topk bottomk quantile count_values'.split(' '));

const isName = (/** @type {string | undefined} */ text) => text !== undefined && /^[A-Za-z_:]/.test(text);

/** @param {string} query @returns {string[]} */
const tokensOf = (query) => (query.match(token) ?? []).filter((text) => !/^(\s|#)/.test(text));

/** The names between two parentheses. @param {string[]} tokens @param {number} open where the first one is */
const namesWithin = (tokens, open) =>
  tokens[open] === '(' ? tokens.slice(open + 1, tokens.indexOf(')', open)).filter(isName) : [];

/** The matchers between two braces. @param {string[]} tokens @param {number} open where the first one is @returns {Matcher[]} */
const matchersWithin = (tokens, open) => {
  if (tokens[open] !== '{') return [];
  const inside = tokens.slice(open + 1, tokens.indexOf('}', open));
  return inside.flatMap((text, at) =>
    isName(text) ? [{ label: text, op: inside[at + 1] ?? '', value: (inside[at + 2] ?? '').slice(1, -1) }] : [],
  );
};

/** Where the tokens after a name and its braces begin. @param {string[]} tokens @param {number} after */
const behindBraces = (tokens, after) => (tokens[after] === '{' ? tokens.indexOf('}', after) + 1 : after);

/**
 * Takes a query apart.
 * @param {string} query PromQL, with variables of Grafana or without
 * @returns {QueryParts}
 */
export const queryParts = (query) => {
  const tokens = tokensOf(query);
  /** @type {QueryParts} */
  const parts = { selectors: [], grouping: [] };
  for (let at = 0; at < tokens.length; at += 1) {
    const text = tokens[at] ?? '';
    if (!isName(text) || operators.has(text)) continue;
    if (grouping.has(text)) {
      const names = namesWithin(tokens, at + 1);
      parts.grouping.push(...names);
      at = tokens[at + 1] === '(' ? tokens.indexOf(')', at) : at;
    } else if (tokens[at + 1] !== '(' && !(aggregations.has(text) && grouping.has(tokens[at + 1] ?? ''))) {
      parts.selectors.push({ metric: text, matchers: matchersWithin(tokens, at + 1) });
      at = behindBraces(tokens, at + 1) - 1;
    }
  }
  return parts;
};
