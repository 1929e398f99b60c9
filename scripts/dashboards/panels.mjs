import { named, quantile, rate } from './query.mjs';

/** @typedef {import('./query.mjs').Series} Series */

/**
 * One thing to look at. `unit` is a unit of Grafana; `bad` is from where on a number is red.
 * @typedef {{ title: string, about?: string, unit?: string, bad?: number, queries: readonly Series[], form: 'number' | 'lines' }} Panel
 * @typedef {{ title: string, panels: readonly Panel[] }} Row
 * @typedef {{ name: string, title: string, about: string, rows: readonly Row[] }} Dashboard
 */

/**
 * A number that is green until it is `bad`.
 * @param {string} title @param {string} query @param {{ unit?: string, bad?: number, about?: string }} [more]
 * @returns {Panel}
 */
export const number = (title, query, more = {}) => ({ form: 'number', title, queries: [[query, '']], bad: 1, ...more });

/**
 * Lines over time.
 * @param {string} title @param {readonly Series[]} queries @param {{ unit?: string, about?: string }} [more]
 * @returns {Panel}
 */
export const lines = (title, queries, more = {}) => ({ form: 'lines', title, queries, ...more });

/**
 * Lines of how often something happens a second.
 * @param {string} title @param {string} by labels @param {string} metric of a counter @param {string[]} matchers
 */
export const rates = (title, by, metric, ...matchers) => lines(title, [rate(by, metric, ...matchers)], { unit: 'cps' });

/**
 * Lines of quantiles of a duration; where there are several, their names say which.
 * @param {string} title @param {readonly number[]} shares @param {string} by labels @param {string} metric of a histogram, without its ending
 * @param {string[]} matchers
 */
export const quantiles = (title, shares, by, metric, ...matchers) => {
  const series = shares.map((share) => {
    const one = quantile(share, by, metric, ...matchers);
    return shares.length === 1 ? one : named(`${one[1]} ${share * 100} %`.trim(), one);
  });
  return lines(title, series, { unit: 's' });
};

const datasource = { type: 'prometheus', uid: '${datasource}' };
const sizes = { number: { w: 4, h: 4 }, lines: { w: 12, h: 8 } };
const width = 24;

/** @param {Panel} panel */
const fieldConfig = ({ form, unit = 'short', bad = 1 }) => ({
  defaults: {
    unit,
    min: 0,
    ...(form === 'number'
      ? {
          color: { mode: 'thresholds' },
          thresholds: {
            mode: 'absolute',
            steps: [
              { color: 'green', value: null },
              { color: 'red', value: bad },
            ],
          },
        }
      : { custom: { fillOpacity: 10, showPoints: 'never' } }),
  },
  overrides: [],
});

/** @param {Panel} panel */
const optionsOf = ({ form }) =>
  form === 'number'
    ? {
        colorMode: 'background',
        graphMode: 'none',
        reduceOptions: { calcs: ['lastNotNull'], fields: '', values: false },
      }
    : { legend: { displayMode: 'list', placement: 'bottom' }, tooltip: { mode: 'multi', sort: 'desc' } };

/** @param {Panel} panel @param {number} id @param {{ x: number, y: number }} place */
const panelJson = (panel, id, place) => ({
  id,
  type: panel.form === 'number' ? 'stat' : 'timeseries',
  title: panel.title,
  ...(panel.about === undefined ? {} : { description: panel.about }),
  datasource,
  gridPos: { ...place, ...sizes[panel.form] },
  fieldConfig: fieldConfig(panel),
  options: optionsOf(panel),
  targets: panel.queries.map(([expr, legendFormat], at) => ({
    refId: String.fromCodePoint(65 + at),
    datasource,
    expr,
    legendFormat,
    ...(panel.form === 'number' ? { instant: true } : {}),
  })),
});

/**
 * The panels of all rows, laid out from left to right, a row of the grid for each title.
 * @param {readonly Row[]} rows
 */
export const layOut = (rows) => {
  const panels = [];
  let y = 0;
  for (const { title, panels: inside } of rows) {
    panels.push({
      id: panels.length + 1,
      type: 'row',
      title,
      collapsed: false,
      gridPos: { x: 0, y, w: width, h: 1 },
      panels: [],
    });
    y += 1;
    let x = 0;
    let height = 0;
    for (const panel of inside) {
      const { w, h } = sizes[panel.form];
      if (x + w > width) {
        y += height;
        x = 0;
        height = 0;
      }
      panels.push(panelJson(panel, panels.length + 1, { x, y }));
      x += w;
      height = Math.max(height, h);
    }
    y += height;
  }
  return panels;
};
