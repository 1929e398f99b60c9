import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { kinds } from '@ranger-relay/runtime';
import test from 'ava';
import { flag, orNull, whole } from './charts/entry.mjs';
import { formOf, kindOf, refusedOf, sampleOf, textRules } from './charts/env-form.mjs';
import { chartFacts } from './charts/facts.mjs';
import { chartFiles } from './charts/outputs.mjs';
import { processEnv, processFlags } from './charts/process.mjs';
import { valuesSchema } from './charts/schema.mjs';
import { charts } from './charts/specs/index.mjs';
import { valuesTable } from './charts/table.mjs';
import { valuesYaml } from './charts/values-yaml.mjs';
import { version } from './charts/version.mjs';
import { parse } from 'yaml';

const root = fileURLToPath(new URL('..', import.meta.url));
const text = (file) => readFileSync(`${root}/${file}`, 'utf8');

test('values, schemas, facts and tables of the charts are up to date (npm run charts writes them)', async (t) => {
  const files = await chartFiles(root);
  t.true(files.length >= 4 * Object.keys(charts).length);
  for (const { file, is, should } of files) t.is(is, should, file);
});

test('charts, images and packages have one version', (t) => {
  t.is(version, JSON.parse(text('services/webhook-ingester/package.json')).version);
  for (const name of readdirSync(`${root}/charts`)) {
    const chart = parse(text(`charts/${name}/Chart.yaml`));
    t.is(chart.version, version, name);
    if (name !== 'lib') t.is(chart.appVersion, version, name);
    for (const { version: wanted } of chart.dependencies ?? []) t.is(wanted, version, name);
  }
});

test('a service in a pod is started as the launcher starts it', (t) => {
  const { flags, env } = JSON.parse(text('cli/relay/bin/service-process.json'));
  t.deepEqual([processFlags, processEnv], [flags, env]);
});

for (const [name, { entries }] of Object.entries(charts)) {
  test(`every value of ${name} stands once, with its purpose in a line`, (t) => {
    const paths = entries.map(({ path }) => path);
    t.deepEqual(
      paths.filter((path, index) => paths.indexOf(path) !== index),
      [],
    );
    for (const { path, about, takes } of entries) {
      t.regex(about, /^[^\n]*[^\n.]$/, path);
      t.true(takes.length > 0, path);
    }
  });

  test(`values.yaml of ${name} gives every default that cannot be global`, (t) => {
    const given = parse(text(`charts/${name}/values.yaml`));
    const at = (path) => path.split('.').reduce((node, key) => node?.[key], given);
    for (const { path, default: value, global } of entries) t.deepEqual(at(path), global ? undefined : value, path);
  });
}

const entries = [
  { path: 'a.b', ...flag, about: 'First', default: true, global: true },
  { path: 'a.c', ...whole(1, 5), about: 'Second', default: 2 },
  { path: 'd', ...orNull(whole(1, 5)), about: 'Third', default: null },
  { path: 'e', schema: { type: 'object' }, takes: 'x|y', about: 'Fourth' },
];

test('a schema is closed at every level, open for other charts and for hints', (t) => {
  const schema = valuesSchema(entries, { title: 'T', hints: { 'a.old': 'x' }, open: ['lib'] });
  t.false(schema.additionalProperties);
  t.false(schema.properties.a.additionalProperties);
  t.deepEqual(schema.properties.a.properties.old, {});
  t.like(schema.properties.a.properties.c, { type: 'integer', maximum: 5, default: 2 });
  t.deepEqual(schema.properties.d.type, ['integer', 'null']);
  t.like(schema.properties.lib, { type: 'object' });
  t.true(schema.properties.global.additionalProperties);
  t.deepEqual(Object.keys(schema.properties.global.properties.a.properties), ['b']);
});

test('facts hold every default that is something, which of them null takes away, and which may be global', (t) => {
  const going = [
    { path: 'f.g', ...orNull(whole(1, 5)), about: 'Fifth', default: 3 },
    { path: 'f.h', ...flag, mayGo: true, about: 'Sixth', default: true },
  ];
  t.deepEqual(chartFacts([...entries, ...going], { x: 'y' }, { more: 1 }), {
    globals: ['a'],
    defaults: { a: { b: true, c: 2 }, f: { g: 3, h: true } },
    mayGo: ['f.g', 'f.h'],
    hints: { x: 'y' },
    forms: [],
    more: 1,
  });
});

test('a pattern that nobody could read is left to the templates, with what the value takes', (t) => {
  const pattern = `^(?:${'a|'.repeat(100)}b)$`;
  const each = { type: 'string', pattern, description: 'letters' };
  const long = [
    { path: 'config.A', schema: { type: 'string', pattern, maxLength: 9 }, takes: 'a letter', about: 'A' },
    {
      path: 'b',
      schema: { type: 'array', items: { type: 'object', properties: { c: each } } },
      takes: 'b',
      about: 'B',
    },
    { path: 'd', schema: { type: 'string', pattern: '^x$' }, takes: 'x', about: 'D' },
  ];
  t.deepEqual(chartFacts(long, {}).forms, [
    { path: 'config.A', takes: 'a letter', pattern, maxLength: 9 },
    { path: 'b.c', takes: 'letters', pattern },
  ]);
  const { properties } = valuesSchema(long, { title: 'T', hints: {} });
  t.deepEqual(properties.config.properties.A, { description: 'A', type: 'string', minLength: 1, maxLength: 9 });
  t.false('pattern' in properties.b.items.properties.c);
  t.is(properties.d.pattern, '^x$');
});

test('a variable may stand under global.config too, and those of other charts beside it', (t) => {
  const own = { path: 'config.A', schema: { type: 'string', pattern: '^x$' }, takes: 'x', about: 'A' };
  const { config } = valuesSchema([...entries, own], { title: 'T', hints: {} }).properties.global.properties;
  t.deepEqual(config, { type: 'object', additionalProperties: true, properties: { A: own.schema } });
});

test('values.yaml shows a default that may be global as a comment', (t) => {
  const lines = valuesYaml(entries).split('\n');
  for (const line of ['a:', '  ## First', '  # b: true', '  c: 2', 'd: null', '# e:'])
    t.true(lines.includes(line), line);
});

test('the table marks what may be global and keeps its columns', (t) => {
  const rows = valuesTable(entries).split('\n');
  t.is(rows[2], '| `a.b` ᵍ | true or false | `true` | First |');
  t.is(rows[5], '| `e` | x\\|y | – | Fourth |');
});

const variable = (kind, more = {}) => ({ kind, about: 'x', ...more });

test('a variable takes in a values file what it takes in the environment, and plain numbers and switches', (t) => {
  const number = formOf(variable(kinds.integer(5, 50))).schema;
  t.like(number, { type: ['integer', 'string'], minimum: 5, maximum: 50 });
  t.true(new RegExp(number.pattern).test('50') && !new RegExp(number.pattern).test('51'));
  t.true(formOf(variable(kinds.flag())).schema.enum.includes(false));
  t.deepEqual(formOf(variable(kinds.oneOf('a', 'b'))).schema, { type: 'string', enum: ['a', 'b'] });
  t.like(formOf(variable(kinds.text(7))).schema, { type: 'string', minLength: 1, maxLength: 7 });
});

test('samples are taken and differ from the default; what is refused is refused', (t) => {
  for (const kind of [kinds.integer(1, 9), kinds.flag(), kinds.oneOf('a', 'b'), kinds.url(), kinds.addresses()]) {
    const [sample, refused] = [sampleOf(variable(kind)), refusedOf(variable(kind))];
    t.true(kind.schema.safeParse(String(sample)).success);
    t.false(kind.schema.safeParse(refused).success);
  }
  t.is(sampleOf(variable(kinds.oneOf('a', 'b'), { default: 'a' })), 'b');
  t.is(sampleOf(variable(kinds.integer(1, 9), { default: '9' })), 9 - 8);
});

test('secrets and files are mounted, the rest is written', (t) => {
  t.is(kindOf(variable(kinds.text(), { secret: true })), 'secret');
  t.is(kindOf(variable(kinds.path())), 'file');
  t.is(kindOf(variable(kinds.url())), 'value');
  t.deepEqual(textRules(variable(kinds.oneOf('a', 'b'))), { pattern: '^(?:a|b)$' });
});
