import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { metricList } from '@ranger-relay/runtime';
import test from 'ava';
import { queryProblems } from './metrics/check.mjs';
import { knownSeries, targetLabels } from './metrics/known.mjs';
import { queryParts } from './metrics/promql.mjs';
import { readAlertCases, readRuleGroups } from './metrics/rules.mjs';
import { valuesOfTheSources } from './metrics/values.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const groups = readRuleGroups(root);
const alerts = groups.flatMap(({ rules }) => rules);
const known = await knownSeries();
const isValue = valuesOfTheSources(root);

test('every name, label and value in every alert is one of the code', (t) => {
  t.true(alerts.length > 30);
  for (const { alert, expr } of alerts) t.deepEqual(queryProblems(expr, known, isValue), [], alert);
});

/** What means the same for people, whichever component tells it; no failure is told of by both. */
const shared = new Set(['RelayPatrolSyncFailed']);

test('an alert has one name, a severity, and texts that name labels which it has', (t) => {
  const names = alerts.map(({ alert }) => alert).filter((name) => !shared.has(name));
  t.deepEqual(names, [...new Set(names)]);
  for (const { alert, expr, labels, annotations } of alerts) {
    t.regex(alert, /^Relay[A-Z]\w+$/);
    t.true(['critical', 'warning'].includes(labels.severity), alert);
    t.deepEqual(Object.keys(annotations), ['summary', 'description', 'runbook_url'], alert);
    const used = [...JSON.stringify(annotations).matchAll(/\$labels\.(\w+)/g)].map(([, label]) => label);
    const has = queryParts(expr).grouping;
    t.deepEqual(
      used.filter((label) => !has.includes(label)),
      [],
      alert,
    );
  }
});

test('a file of alerts belongs to a component, and names it in its group', (t) => {
  const components = [
    'webhook-ingester',
    'observation-forwarder',
    'message-pusher',
    'action-runner',
    'operator',
    'patrol-sync',
  ];
  t.deepEqual(
    groups.map(({ file, name }) => [file, name]).sort(),
    [
      ...components.map((each) => [`${each}.yaml`, `ranger-relay-${each}`]),
      ['ranger-relay.yaml', 'ranger-relay'],
    ].sort(),
  );
});

test('an alert of two components asks each for something else', (t) => {
  for (const name of shared) {
    const asked = alerts
      .filter(({ alert }) => alert === name)
      .map(({ expr }) => queryParts(expr).selectors.map(({ metric }) => metric));
    t.is(asked.length, 2, name);
    t.deepEqual(
      asked[0].filter((metric) => asked[1].includes(metric)),
      [],
      name,
    );
  }
});

test('every alert has a case in which it fires and one in which it does not', (t) => {
  const cases = readAlertCases(root);
  for (const { file, name, rules } of groups)
    for (const { alert } of rules) {
      const own = cases.filter((each) => each.alert === alert && each.file === file);
      t.true(
        own.some(({ fires }) => fires),
        `${alert} never fires (${name})`,
      );
      t.true(
        own.some(({ fires }) => !fires),
        `${alert} always fires (${name})`,
      );
    }
  const names = new Set(alerts.map(({ alert }) => alert));
  t.deepEqual(
    cases.filter(({ alert }) => !names.has(alert)),
    [],
  );
});

test('the first step of a rare count is seen, also of one that nobody saw begin', (t) => {
  for (const { alert, expr } of alerts.filter(({ expr }) => /increase\([^)]*\) > 0\)/.test(expr))) {
    const window = /increase\([^)]*\[(\w+)\]\) > 0\)/.exec(expr)?.[1];
    t.regex(expr, new RegExp(`> 0\\s+unless \\S.* offset ${window}`), alert);
  }
});

test('no label of a metric has the name of one that scraping adds', (t) => {
  for (const [name, { labels }] of Object.entries(metricList))
    t.deepEqual(
      labels.filter((label) => targetLabels.includes(label)),
      [],
      name,
    );
});

test('each alert names its runbook, and it is there', (t) => {
  for (const { alert, annotations } of alerts) {
    t.is(annotations.runbook_url, `k8s/runbooks/${alert}.md`);
    t.true(existsSync(join(root, annotations.runbook_url)), alert);
  }
});

const series = new Map([
  ['relay_a_total', new Set(['code', 'pod'])],
  ['b', new Set(['pod'])],
]);
const problems = (query) => queryProblems(query, series, (value) => value === 'bad_time');

test('a query is taken apart into what it asks for and what it groups by', (t) => {
  const query = `sum by (pod, code) (rate(relay_a_total{code=~"x|y", pod!=""}[5m])) > 0 and on (pod) max(b) unless b offset 5m # c{d}`;
  t.deepEqual(queryParts(query), {
    selectors: [
      {
        metric: 'relay_a_total',
        matchers: [
          { label: 'code', op: '=~', value: 'x|y' },
          { label: 'pod', op: '!=', value: '' },
        ],
      },
      { metric: 'b', matchers: [] },
      { metric: 'b', matchers: [] },
    ],
    grouping: ['pod', 'code', 'pod'],
  });
});

test('a query that Prometheus could not parse is refused', (t) => {
  t.throws(() => problems('sum by (pod) (b)) +'), { message: /this is not PromQL at 16/ });
});

test('a query that asks for what is there has no problem', (t) => {
  t.deepEqual(
    problems('sum by (pod) (rate(relay_a_total{code="bad_time", pod=~"$pod"}[$__rate_interval])) / sum(b)'),
    [],
  );
});

for (const [what, query, sentence] of [
  ['a metric that nobody tells', 'rate(c_total[5m])', 'c_total is no metric'],
  ['a label that the metric does not have', 'b{code="bad_time"}', 'b has no label code'],
  ['a value that nothing has', 'relay_a_total{code=~"bad_time|worse_time"}', 'nothing is called worse_time'],
  ['a group by a label that is not there', 'sum by (topic) (b)', 'no metric of it has the label topic'],
  ['nothing to ask for', 'vector(1)', 'it asks for no metric'],
])
  test(`is a problem: ${what}`, (t) => {
    t.true(problems(query).join().includes(sentence), problems(query).join());
  });
