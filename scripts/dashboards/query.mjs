/** What every query is narrowed to by the variables of a dashboard. A label that a target does not have fits too. */
const chosen = ['namespace=~"$namespace"', 'release=~"$release"'];

/** A metric of the chosen installation. @param {string} metric @param {string[]} matchers such as `kind="message"` */
export const of = (metric, ...matchers) => `${metric}{${[...chosen, ...matchers].join(', ')}}`;

/** Events of a counter a second. @param {string} by labels @param {string} metric @param {string[]} matchers */
export const rate = (by, metric, ...matchers) => `sum by (${by}) (rate(${of(metric, ...matchers)}[$__rate_interval]))`;

/** How much a counter has grown in the chosen time. @param {string} metric @param {string[]} matchers */
export const grown = (metric, ...matchers) => `sum(increase(${of(metric, ...matchers)}[$__range]))`;

/** The greatest value of a gauge. @param {string} by labels @param {string} metric @param {string[]} matchers */
export const maxBy = (by, metric, ...matchers) => `max by (${by}) (${of(metric, ...matchers)})`;

/** A quantile of a histogram. @param {number} share @param {string} by labels @param {string} metric without its ending @param {string[]} matchers */
export const quantile = (share, by, metric, ...matchers) =>
  `histogram_quantile(${share}, sum by (${['le', by].filter(Boolean).join(', ')}) (rate(${of(`${metric}_bucket`, ...matchers)}[$__rate_interval])))`;

/** A metric of the process of one component, or of all. @param {string} metric @param {string} [component] */
export const ofProcess = (metric, component) => {
  const info = of('relay_component_info', ...(component === undefined ? [] : [`component="${component}"`]));
  return `${of(metric)} * on (namespace, release, instance) group_left (component) ${info}`;
};
