import { readFileSync, readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { syncKinds } from '@ranger-relay/contracts';
import test from 'ava';
import { parse } from 'yaml';
import { chartFiles } from './charts.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const text = (file) => readFileSync(`${root}/${file}`, 'utf8');

test('topics and definitions in the charts are up to date (npm run charts writes them)', async (t) => {
  const files = await chartFiles(root);
  t.true(files.length >= 3);
  for (const { file, is, should } of files) t.is(is, should, file);
});

test('charts, images and packages have one version', (t) => {
  const { version } = JSON.parse(text('services/webhook-ingester/package.json'));
  const charts = readdirSync(`${root}/charts`);
  t.deepEqual(charts.toSorted(), ['operator', 'patrol-sync', 'ranger-relay']);
  for (const name of charts) {
    const chart = parse(text(`charts/${name}/Chart.yaml`));
    t.deepEqual([chart.version, chart.appVersion], [version, version], name);
  }
});

test('a service in a pod is started as the launcher starts it', (t) => {
  const { flags, env } = JSON.parse(text('cli/relay/bin/service-process.json'));
  const pod = text('charts/ranger-relay/templates/_pod.tpl');
  for (const flag of flags) t.true(pod.includes(`\n- ${flag}\n`), flag);
  const variables = text('charts/ranger-relay/templates/_env.tpl');
  for (const [name, value] of Object.entries(env))
    t.true(variables.includes(`- name: ${name}\n  value: '${value}'\n`), name);
});

test('the chart of the sync accepts the kinds of objects that the tool knows', (t) => {
  const schema = JSON.parse(text('charts/patrol-sync/values.schema.json'));
  t.deepEqual(schema.properties.options.properties.force.items.enum, syncKinds);
});
