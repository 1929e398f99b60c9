/** What every query is narrowed to by the variables of a dashboard. A label that a target does not have fits too. */
const chosen = ['namespace=~"$namespace"', 'release=~"$release"'];

/** A metric of the chosen installation. @param {string} metric @param {string[]} matchers such as `kind="message"` */
export const of = (metric, ...matchers) => `${metric}{${[...chosen, ...matchers].join(', ')}}`;

/** A query, and the name of its lines, in which {{label}} stands for a value. @typedef {readonly [query: string, legend: string]} Series */

/** The name of a line for each value of labels. @param {string} by labels */
const legendOf = (by) => by.replaceAll(/\w+/g, '{{$&}}').replaceAll(',', '');

/** A series by another name. @param {string} legend @param {Series} series @returns {Series} */
export const named = (legend, [query]) => [query, legend];

/** Events of a counter a second. @param {string} by labels @param {string} metric @param {string[]} matchers @returns {Series} */
export const rate = (by, metric, ...matchers) => [
  `sum by (${by}) (rate(${of(metric, ...matchers)}[$__rate_interval]))`,
  legendOf(by),
];

/** How much a counter has grown in the chosen time. @param {string} metric @param {string[]} matchers */
export const grown = (metric, ...matchers) => `sum(increase(${of(metric, ...matchers)}[$__range]))`;

/** The greatest values of a gauge. @param {string} by labels @param {string} metric @param {string[]} matchers @returns {Series} */
export const maxBy = (by, metric, ...matchers) => [`max by (${by}) (${of(metric, ...matchers)})`, legendOf(by)];

/** The greatest value of a gauge. @param {string} metric @param {string[]} matchers */
export const max = (metric, ...matchers) => maxBy('', metric, ...matchers)[0];

/** A quantile of a histogram. @param {number} share @param {string} by labels @param {string} metric without its ending @param {string[]} matchers @returns {Series} */
export const quantile = (share, by, metric, ...matchers) => [
  `histogram_quantile(${share}, sum by (${['le', by].filter(Boolean).join(', ')}) (rate(${of(`${metric}_bucket`, ...matchers)}[$__rate_interval])))`,
  legendOf(by),
];

/** A metric of the process of one component, or of all. @param {string} metric @param {string} [component] @returns {Series} */
export const ofProcess = (metric, component) => {
  const info = of('relay_component_info', ...(component === undefined ? [] : [`component="${component}"`]));
  const query = `${of(metric)} * on (namespace, release, instance) group_left (component) ${info}`;
  return [query, legendOf('component, pod, instance')];
};
