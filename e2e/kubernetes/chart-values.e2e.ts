import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { parse } from 'yaml';
import { chartSpecs, type ChartValue, leastFile, type Probe, renderLeast } from './charts/least.ts';
import { at, place } from './charts/place.ts';
import { chartsFolder, type Rendering } from './charts/render.ts';
import { openTools } from './harness/node.ts';

const specs = await chartSpecs();

let node: Awaited<ReturnType<typeof openTools>>;
test.before(async (t) => {
  node = await openTools(t);
});

/** Renders a chart with values by their paths, each set of them once. */
const renderer = (chart: string) => {
  const done = new Map<string, Promise<Rendering>>();
  return (paths: Readonly<Record<string, unknown>>): Promise<Rendering> => {
    const key = JSON.stringify(paths);
    const rendering = done.get(key) ?? renderLeast(node.env, chart, paths);
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

/** What should stand at the place, in JSON. */
const shouldBe = ({ probe: { set, shows = set } }: Probed): string => JSON.stringify(shows);

/** Whether what stands at the place is what the value makes of it. */
const fits = (value: Probed, is: string): boolean =>
  value.probe.isPart ? is.includes(shouldBe(value).slice(1, -1)) : is === shouldBe(value);

/** What is wrong with how a value reaches the rendering; nothing when it does. */
const unreached = async (render: Render, value: Probed): Promise<readonly string[]> => {
  const { path, probe } = value;
  const { set, with: beside = {}, at } = probe;
  const [was, is] = await Promise.all([shown(render, beside, at), shown(render, { ...beside, [path]: set }, at)]);
  if (!fits(value, is))
    return [`${path} = ${JSON.stringify(set)} should make ${at} ${shouldBe(value)}, but it is ${is}`];
  return fits(value, was) ? [`${path}: ${at} is ${was} also without it`] : [];
};

/** Looks at items all at once; those that are left over then in halves, at last each alone. */
const inHalves = async <Item>(
  items: readonly Item[],
  leftOver: (items: readonly Item[]) => Promise<readonly Item[]>,
  problemsOf: (item: Item) => Promise<readonly string[]>,
): Promise<readonly string[]> => {
  const [first] = items;
  if (first === undefined) return [];
  if (items.length === 1) return problemsOf(first);
  const left = await leftOver(items);
  const middle = Math.ceil(left.length / 2);
  return [
    ...(await inHalves(left.slice(0, middle), leftOver, problemsOf)),
    ...(await inHalves(left.slice(middle), leftOver, problemsOf)),
  ];
};

const looksOf = ({ probe }: Probed): string => JSON.stringify(probe.shows ?? probe.set);

/** The same values in lists in which no two look alike. */
const unlike = (values: readonly Probed[]): readonly (readonly Probed[])[] => {
  const alike = [...Map.groupBy(values, looksOf).values()];
  const max = Math.max(...alike.map(({ length }) => length));
  return Array.from({ length: max }, (_, n) => alike.flatMap((each) => each.slice(n, n + 1)));
};

/**
 * Values that may be set at once: they need the same beside them and no two look alike, so that none stands at the place of another
 * unseen. A switch is set alone, so that none hides what a value needs.
 */
const together = (values: readonly Probed[]): readonly (readonly Probed[])[] => {
  const groups = Map.groupBy(values, ({ path, probe }) =>
    JSON.stringify([probe.with ?? {}, typeof probe.set === 'boolean' ? path : 'no switch']),
  );
  return [...groups.values()].flatMap(unlike);
};

/** Values that do not show when all of these are set, as they are in each other's way or reach no place. */
const hiddenOf = async (render: Render, values: readonly Probed[]): Promise<readonly Probed[]> => {
  const beside = values[0]?.probe.with ?? {};
  const all = { ...beside, ...Object.fromEntries(values.map(({ path, probe }) => [path, probe.set])) };
  const hidden: Probed[] = [];
  for (const value of values) {
    const [was, is] = [await shown(render, beside, value.probe.at), await shown(render, all, value.probe.at)];
    if (!fits(value, is) || was === is) hidden.push(value);
  }
  return hidden;
};

const allUnreached = async (render: Render, values: readonly Probed[]): Promise<readonly string[]> => {
  const problems = [];
  for (const batch of together(values))
    problems.push(
      ...(await inHalves(
        batch,
        (each) => hiddenOf(render, each),
        (value) => unreached(render, value),
      )),
    );
  return problems;
};

type Refused = ChartValue & { readonly refuses: NonNullable<ChartValue['refuses']> };

const isRefused = (value: ChartValue): value is Refused => value.refuses !== undefined;

/** Whether a sentence of a refusal is about this value and about no other of them. */
const isNamed = (problem: string, { refuses: { says } }: Refused, values: readonly Refused[]): boolean => {
  const others = values.map(({ refuses }) => refuses.says).filter((other) => other !== says);
  const isAlone = values.length - others.length === 1;
  return (
    isAlone && problem.split('\n').some((line) => line.includes(says) && !others.some((other) => line.includes(other)))
  );
};

/** What is wrong with how values are refused; the schema names every one of them. */
const accepted = (render: Render, values: readonly Refused[]): Promise<readonly string[]> => {
  const refusal = (each: readonly Refused[]): Promise<Rendering> =>
    render(Object.fromEntries(each.map(({ path, refuses }) => [path, refuses.value])));
  const unnamed = async (each: readonly Refused[]): Promise<readonly Refused[]> => {
    const rendering = await refusal(each);
    return each.filter((value) => rendering.ok || !isNamed(rendering.problem, value, each));
  };
  const problemsOf = async (value: Refused): Promise<readonly string[]> =>
    (await unnamed([value])).length === 0 ? [] : [`${value.path}: ${JSON.stringify(await refusal([value]))}`];
  return inHalves(values, unnamed, problemsOf);
};

/** Whether the least values give a value themselves: then a global one does not count. */
const isOwn = (chart: string, path: string): boolean =>
  at(parse(readFileSync(join(chartsFolder, chart, leastFile), 'utf8')), path) !== undefined;

for (const [chart, { entries }] of Object.entries(specs)) {
  test.serial(`each value of ${chart} reaches its place`, async (t) => {
    t.timeout(600_000);
    t.deepEqual(await allUnreached(renderer(chart), entries.filter(isProbed)), []);
  });

  test.serial(`each value of ${chart} that is without effect says so`, (t) => {
    for (const { path, about } of entries.filter((value) => !isProbed(value)))
      t.regex(about, /nothing else reads it|Stays false|Not used/, path);
  });

  test.serial(`a value that a pod of ${chart} would refuse is refused, with the variable's name`, async (t) => {
    t.timeout(600_000);
    t.true(entries.length > 0);
    t.deepEqual(await accepted(renderer(chart), entries.filter(isRefused)), []);
  });
}

test.serial('what may be global reaches its place from there', async (t) => {
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

test.serial('a chart’s own value counts before the global one', async (t) => {
  const render = renderer('webhook-ingester');
  const own = { 'kafka.brokers': 'own:1', 'global.kafka.brokers': 'global:2', 'global.kafka.prefix': 'g.' };
  const env = 'Deployment#spec.template.spec.containers[0].env';
  t.is(await shown(render, own, `${env}[name=KAFKA_BROKERS].value`), '"own:1"');
  t.is(await shown(render, own, `${env}[name=KAFKA_PREFIX].value`), '"g."');
});
