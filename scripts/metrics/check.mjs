import { targetLabels } from './known.mjs';
import { queryParts } from './promql.mjs';

/** @typedef {import('./known.mjs').KnownSeries} KnownSeries */
/** @typedef {import('./promql.mjs').Matcher} Matcher */

/** Whether a text is one that the program can give a label. @typedef {(value: string) => boolean} IsValue */

const isStatus = (/** @type {string} */ value) => /^[1-5](\d\d|\.\.|xx)$/.test(value);

/** Values of labels that are ours; those of a target or of the cluster come from where it is installed. */
const ownValues = (/** @type {string} */ metric, /** @type {Matcher} */ { label, value }) =>
  metric.startsWith('relay_') && !targetLabels.includes(label) && label !== 'le' ? value.split('|') : [];

/** @param {string} metric @param {Matcher} matcher @param {IsValue} isValue */
const unknownValues = (metric, matcher, isValue) =>
  ownValues(metric, matcher).filter(
    (each) => each !== '' && !each.startsWith('$') && !isStatus(each) && !isValue(each),
  );

/**
 * What a query asks for and nobody tells, one sentence each.
 * @param {string} query
 * @param {KnownSeries} known
 * @param {IsValue} isValue
 * @returns {string[]}
 */
export const queryProblems = (query, known, isValue) => {
  const { selectors, grouping } = queryParts(query);
  const labelsOf = (/** @type {string} */ metric) => known.get(metric) ?? new Set();
  const all = new Set(selectors.flatMap(({ metric }) => [...labelsOf(metric)]));
  return [
    ...(selectors.length === 0 ? ['it asks for no metric'] : []),
    ...selectors.flatMap(({ metric, matchers }) =>
      known.has(metric)
        ? matchers.flatMap((matcher) => [
            ...(labelsOf(metric).has(matcher.label) ? [] : [`${metric} has no label ${matcher.label}`]),
            ...unknownValues(metric, matcher, isValue).map(
              (value) => `nothing is called ${value} (${metric}, ${matcher.label})`,
            ),
          ])
        : [`${metric} is no metric`],
    ),
    ...grouping.filter((label) => !all.has(label)).map((label) => `no metric of it has the label ${label}`),
  ];
};
