import { fileURLToPath } from 'node:url';
import test from 'ava';
import { renderDashboards } from './dashboards/render.mjs';
import { queryProblems } from './metrics/check.mjs';
import { knownSeries } from './metrics/known.mjs';
import { queryParts } from './metrics/promql.mjs';
import { valuesOfTheSources } from './metrics/values.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const rendered = await renderDashboards(root);
const dashboards = rendered.map(({ file, should }) => ({ file, json: JSON.parse(should) }));
const panels = dashboards.flatMap(({ file, json }) => json.panels.map((panel) => ({ file, ...panel })));
const queries = panels.flatMap(({ file, title, targets = [] }) =>
  targets.map(({ expr, legendFormat }) => ({ where: `${file}: ${title}`, expr, legendFormat })),
);

for (const { file, is, should } of rendered)
  test(`${file} is up to date (npm run docs writes it)`, (t) => {
    t.is(is, should);
  });

test('every name, label and value in every query is one of the code', async (t) => {
  t.true(queries.length > 60);
  const known = await knownSeries();
  const isValue = valuesOfTheSources(root);
  for (const { where, expr } of queries) t.deepEqual(queryProblems(expr, known, isValue), [], where);
});

test('every query is narrowed to the chosen installation', (t) => {
  for (const { where, expr } of queries)
    for (const { matchers } of queryParts(expr).selectors)
      t.deepEqual(
        matchers.slice(0, 2).map(({ label, op, value }) => [label, op, value]),
        [
          ['namespace', '=~', '$namespace'],
          ['release', '=~', '$release'],
        ],
        where,
      );
});

test('a legend names labels that are left', (t) => {
  const always = new Set(['pod', 'instance', 'component']);
  for (const { where, expr, legendFormat } of queries) {
    const { grouping } = queryParts(expr);
    for (const [, label] of legendFormat.matchAll(/\{\{(\w+)\}\}/g))
      t.true(grouping.includes(label) || always.has(label), `${where} ${label}`);
  }
});

test('panels do not overlap, stay on the grid, and have an id of their own', (t) => {
  for (const { file, json } of dashboards) {
    const taken = new Set();
    for (const {
      gridPos: { x, y, w, h },
    } of json.panels) {
      t.true(x + w <= 24, file);
      for (let dx = 0; dx < w; dx += 1)
        for (let dy = 0; dy < h; dy += 1) {
          t.false(taken.has(`${x + dx},${y + dy}`), file);
          taken.add(`${x + dx},${y + dy}`);
        }
    }
    const ids = json.panels.map(({ id }) => id);
    t.deepEqual(ids, [...new Set(ids)]);
  }
});

test('dashboards have ids of their own, which the place for them can hold', (t) => {
  const uids = dashboards.map(({ json }) => json.uid);
  t.deepEqual(uids, [...new Set(uids)]);
  for (const uid of uids) t.true(uid.length <= 40, uid);
});
