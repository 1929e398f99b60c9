import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { parse } from 'yaml';
import { at, place } from './charts/place.ts';
import { chartsFolder, renderChart, type Rendering } from './charts/render.ts';
import { chartSpecs, valuesOf, type ChartValue, type Probe } from './charts/specs.ts';
import { openTools } from './harness/node.ts';

const specs = await chartSpecs();
const least = { files: ['ci/default-values.yaml'] };

let node: Awaited<ReturnType<typeof openTools>>;
test.before(async (t) => {
  node = await openTools(t);
});

/** Renders a chart with values by their paths, each set of them once. */
const renderer = (chart: string) => {
  const done = new Map<string, Promise<Rendering>>();
  return (paths: Readonly<Record<string, unknown>>): Promise<Rendering> => {
    const key = JSON.stringify(paths);
    const rendering = done.get(key) ?? renderChart(node.env, chart, { ...least, values: valuesOf(paths) });
    done.set(key, rendering);
    return rendering;
  };
};

type Render = ReturnType<typeof renderer>;

/** What stands at a place, in JSON, or why there is no rendering. */
const shown = async (render: Render, paths: Readonly<Record<string, unknown>>, at: string): Promise<string> => {
  const rendering = await render(paths);
  return rendering.ok ? JSON.stringify(place(rendering.objects, at)) : rendering.problem;
};

type Probed = ChartValue & { readonly probe: Probe };

const isProbed = (value: ChartValue): value is Probed => value.probe !== undefined;

/** What is wrong with how a value reaches the rendering; nothing when it does. */
const unreached = async (render: Render, { path, probe }: Probed): Promise<readonly string[]> => {
  const { set, with: beside = {}, at, shows = set } = probe;
  const [was, is] = await Promise.all([shown(render, beside, at), shown(render, { ...beside, [path]: set }, at)]);
  const should = JSON.stringify(shows);
  if (is !== should) return [`${path} = ${JSON.stringify(set)} should make ${at} ${should}, but it is ${is}`];
  return was === should ? [`${path}: ${at} is ${was} also without it`] : [];
};

/** Values that need the same beside them, a few at a time. */
const together = (values: readonly Probed[]): readonly (readonly Probed[])[] => {
  const groups = Map.groupBy(values, ({ probe }) => JSON.stringify(probe.with ?? {}));
  return [...groups.values()].flatMap((group) =>
    Array.from({ length: Math.ceil(group.length / atOnce) }, (_, n) => group.slice(n * atOnce, (n + 1) * atOnce)),
  );
};

const atOnce = 8;

/** Tries values a few at a time, and alone those that do not show then: they may be in each other's way. */
const allUnreached = async (render: Render, values: readonly Probed[]): Promise<readonly string[]> => {
  const problems: string[] = [];
  for (const group of together(values)) {
    const beside = group[0]?.probe.with ?? {};
    const all = { ...beside, ...Object.fromEntries(group.map(({ path, probe }) => [path, probe.set])) };
    for (const value of group) {
      const { at, set, shows = set } = value.probe;
      const [was, is] = await Promise.all([shown(render, beside, at), shown(render, all, at)]);
      const shouldBe = JSON.stringify(shows);
      if (is !== shouldBe || was === shouldBe) problems.push(...(await unreached(render, value)));
    }
  }
  return problems;
};

/** Whether the least values give a value themselves: then a global one does not count. */
const isOwn = (chart: string, path: string): boolean =>
  at(parse(readFileSync(join(chartsFolder, chart, ...least.files), 'utf8')), path) !== undefined;

for (const [chart, { entries }] of Object.entries(specs)) {
  test(`each value of ${chart} reaches its place`, async (t) => {
    t.timeout(600_000);
    t.deepEqual(await allUnreached(renderer(chart), entries.filter(isProbed)), []);
  });

  test(`each value of ${chart} that is without effect says so`, (t) => {
    for (const { path, about } of entries.filter((value) => !isProbed(value)))
      t.regex(about, /nothing else reads it|Stays false|Not used/, path);
  });

  test(`a value that a pod of ${chart} would refuse is refused, with the variable's name`, async (t) => {
    t.timeout(600_000);
    const render = renderer(chart);
    t.true(entries.length > 0);
    for (const { path, refuses } of entries) {
      if (refuses === undefined) continue;
      const rendering = await render({ [path]: refuses.value });
      t.true(!rendering.ok && rendering.problem.includes(refuses.says), `${path}: ${JSON.stringify(rendering)}`);
    }
  });
}

test('what may be global reaches its place from there', async (t) => {
  t.timeout(600_000);
  const chart = 'webhook-ingester';
  const render = renderer(chart);
  const free = (specs[chart]?.entries ?? [])
    .filter(isProbed)
    .filter(({ path, global }) => global && !isOwn(chart, path))
    .map((value) => Object.assign({}, value, { path: `global.${value.path}` }));
  t.true(free.length > 50);
  t.deepEqual(await allUnreached(render, free), []);
});

test('a chart’s own value counts before the global one', async (t) => {
  const render = renderer('webhook-ingester');
  const own = { 'kafka.brokers': 'own:1', 'global.kafka.brokers': 'global:2', 'global.kafka.prefix': 'g.' };
  const env = 'Deployment#spec.template.spec.containers[0].env';
  t.is(await shown(render, own, `${env}[name=KAFKA_BROKERS].value`), '"own:1"');
  t.is(await shown(render, own, `${env}[name=KAFKA_PREFIX].value`), '"g."');
});
