import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { parse } from 'yaml';
import { chartSpecs, type ChartValue, leastFile, renderLeast } from './charts/least.ts';
import { place } from './charts/place.ts';
import { chartsFolder, mustRender } from './charts/render.ts';
import { openTools } from './harness/node.ts';

const specs = await chartSpecs();

let node: Awaited<ReturnType<typeof openTools>>;
test.before(async (t) => {
  node = await openTools(t);
});

/** `a`, `a.b` and `a.b.c` for `a.b.c`. */
const prefixesOf = (path: string): readonly string[] =>
  path.split('.').map((_, at, keys) => keys.slice(0, at + 1).join('.'));

/** Every path of values at which something stands, maps included. */
const pathsOf = (values: unknown, above = ''): readonly string[] =>
  typeof values === 'object' && values !== null && !Array.isArray(values)
    ? Object.entries(values).flatMap(([key, value]) => [`${above}${key}`].concat(pathsOf(value, `${above}${key}.`)))
    : [];

/** The schema refuses null for what values.yaml leaves to the templates, and Helm itself reads the switches of charts below. */
const mayBeNothing = ({ path, global, default: value }: ChartValue): boolean =>
  !global && value !== undefined && value !== null && !specs[path.replace(/\.enabled$/, '')];

const takesNull = ({ mayGo, schema }: ChartValue): boolean => mayGo === true || [schema.type].flat().includes('null');

/** For each value of a chart the shortest path around it at which the least values say nothing, and the value's own. */
const nothingsOf = (chart: string) => {
  const given = new Set(pathsOf(parse(readFileSync(join(chartsFolder, chart, leastFile), 'utf8'))));
  const free = (specs[chart]?.entries ?? []).filter((entry) => mayBeNothing(entry) && !given.has(entry.path));
  const leaves = free.filter((entry) => !takesNull(entry)).map(({ path }) => path);
  const around = free.map(({ path }) => prefixesOf(path).find((prefix) => !given.has(prefix)) ?? path);
  const own = new Set(free.filter(takesNull).map(({ path }) => path));
  return { leaves, blocks: [...new Set(around)].filter((path) => !own.has(path)) };
};

const nulls = (paths: readonly string[]) => Object.fromEntries(paths.map((path) => [path, null]));

for (const chart of Object.keys(specs))
  test.serial(`a key of ${chart} with nothing behind it counts as not written`, async (t) => {
    const plain = await renderLeast(node.env, chart, {});
    const { leaves, blocks } = nothingsOf(chart);
    t.true(plain.ok && leaves.length > 20 && blocks.length > 10);
    t.deepEqual(await renderLeast(node.env, chart, nulls(blocks)), plain, 'whole blocks');
    t.deepEqual(await renderLeast(node.env, chart, nulls(leaves)), plain, 'single values');
  });

test.serial('charts below are as they are when nothing is behind their keys', async (t) => {
  const names = Object.keys(specs).filter((name) => name !== 'ranger-relay');
  const plain = await renderLeast(node.env, 'ranger-relay', {});
  t.true(plain.ok);
  t.deepEqual(await renderLeast(node.env, 'ranger-relay', nulls(names)), plain);
  t.deepEqual(await renderLeast(node.env, 'ranger-relay', nulls(names.map((name) => `${name}.resources`))), plain);
});

test.serial('null takes a request away, and leaves the others', async (t) => {
  const rendering = renderLeast(node.env, 'webhook-ingester', { 'resources.requests.cpu': null });
  const { objects } = await mustRender(rendering);
  t.deepEqual(place(objects, 'Deployment#spec.template.spec.containers[0].resources.requests'), {
    memory: '128Mi',
    'ephemeral-storage': '16Mi',
  });
});
