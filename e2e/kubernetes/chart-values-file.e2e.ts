import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import test from 'ava';
import { parse } from 'yaml';
import { effects } from './charts/effects.ts';
import { leastFile, valuesOf } from './charts/least.ts';
import { place } from './charts/place.ts';
import { chartNames, chartsFolder, ciFiles, renderChart, type Rendering } from './charts/render.ts';
import { objectPaths, otherValues, type Schema, schemaAt, takesNumbers } from './charts/schema.ts';
import { nest, type Path, readValuesFile, valueAt } from './charts/values-file.ts';
import { openTools } from './harness/node.ts';

let node: Awaited<ReturnType<typeof openTools>>;
test.before(async (t) => {
  node = await openTools(t);
});

const read = (chart: string, file: string): string => readFileSync(join(chartsFolder, chart, file), 'utf8');

/** Values that change no rendering, and why. */
const unseen: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'ranger-relay': { 'embedded.enabled': 'each file of values is for one of both forms, and is refused for the other' },
};

const charts = chartNames();

/** What is wrong with items, two of which are looked at at a time: the machine has two cores. */
const problemsOf = async <Item>(
  items: readonly Item[],
  problemOf: (item: Item) => Promise<string | undefined>,
): Promise<readonly string[]> => {
  const left = [...items];
  const problems: string[] = [];
  const next = async (): Promise<void> => {
    for (let item = left.shift(); item !== undefined; item = left.shift()) {
      const problem = await problemOf(item);
      if (problem !== undefined) problems.push(problem);
    }
  };
  await Promise.all([next(), next()]);
  return problems;
};

/** Blocks of ranger-relay that have the values of all components once more. */
const copies = new Set(['forwarder', 'pusher', 'runner', 'tasks']);
const isCopied = (chart: string, [block = '']: Path): boolean => chart === 'ranger-relay' && copies.has(block);

const nameOf = (path: Path): string => path.join('.');

/** Everything about one chart's values. */
const chartOf = (chart: string) => {
  const bases = new Map<string, Promise<Rendering>>();
  const render = (file: string, values: object = {}) => renderChart(node.env, chart, { files: [file], values });
  const base = (file: string): Promise<Rendering> => {
    const rendering = bases.get(file) ?? render(file);
    bases.set(file, rendering);
    return rendering;
  };
  return {
    ...readValuesFile(read(chart, 'values.yaml')),
    schema: JSON.parse(read(chart, 'values.schema.json')) as Schema,
    render,
    /** Whether values change what one of the chart's files of values renders; why not when they do not. */
    async change(values: object): Promise<string | undefined> {
      let why = 'it changes no rendering';
      for (const file of ciFiles(chart)) {
        const [is, was] = [await render(file, values), await base(file)];
        if (!is.ok) why = is.problem;
        else if (!was.ok || is.text !== was.text) return undefined;
      }
      return why;
    },
    /** What stands at a path with a file of values. */
    given: (file: string, path: Path): unknown => valueAt(parse(read(chart, file)), path),
  };
};

for (const chart of charts) {
  const { leaves, blocks, examples, schema, render, change, given } = chartOf(chart);

  test.serial(`each example in the values of ${chart} can be uncommented, is accepted and has an effect`, async (t) => {
    t.timeout(300_000);
    t.true(examples.length > 10);
    const problems = await problemsOf(examples, async ({ line, values, problem }) => {
      const why = problem ?? (await change(values));
      return why && `line ${line}: ${why}`;
    });
    t.deepEqual(problems, []);
  });

  test.serial(`each value of ${chart} has an effect`, async (t) => {
    t.timeout(600_000);
    const problems = await problemsOf(leaves, async ({ path, value }) => {
      if (unseen[chart]?.[nameOf(path)] !== undefined) return undefined;
      const example = examples.map(({ values }) => valueAt(values, path)).find((found) => found !== undefined);
      const others = otherValues(schema, schemaAt(schema, path) ?? {}, given(leastFile, path) ?? value);
      let why: string | undefined = 'no other value is known: give an example';
      for (const other of example === undefined ? others : [example, ...others])
        if ((why = await change(nest(path, other))) === undefined) return undefined;
      return `${nameOf(path)}: ${why}`;
    });
    t.deepEqual(problems, []);
  });

  test.serial(`numbers of a file of values of ${chart} are rendered as digits, however large`, async (t) => {
    t.timeout(600_000);
    const numbers = objectPaths(schema).flatMap((path) =>
      Object.entries(schemaAt(schema, path)?.properties ?? {}).flatMap(([key, member]) =>
        takesNumbers(schema, member) && !isCopied(chart, path) ? [[...path, key]] : [],
      ),
    );
    t.true(numbers.length >= 8);
    let seen = 0;
    const problems = await problemsOf(numbers, async (path) => {
      for (const file of ciFiles(chart)) {
        const input = { files: [file], values: nest(path, 1_234_567), withoutSchema: true };
        const rendering = await renderChart(node.env, chart, input);
        const exponent = rendering.ok ? /^.*\de\+\d.*$/m.exec(rendering.text) : null;
        if (exponent) return `${nameOf(path)}: ${exponent[0].trim()}`;
        if (!rendering.ok || !rendering.text.includes('1234567')) continue;
        seen += 1;
        return undefined;
      }
      return undefined;
    });
    t.deepEqual(problems, []);
    t.true(seen > numbers.length / 2, `${seen} of ${numbers.length} were seen`);
  });

  test.serial(`each value of ${chart} is described and stands in the schema`, (t) => {
    const undescribed = leaves.filter(({ described }) => !described);
    const unknown = leaves.filter(({ path }) => schemaAt(schema, path) === undefined);
    const namesOf = (some: typeof leaves): readonly string[] => some.map(({ path }) => nameOf(path));
    t.deepEqual([namesOf(undescribed), namesOf(unknown)], [[], []]);
  });

  test.serial(`an unknown key is refused at every level of the values of ${chart}`, async (t) => {
    const levels = objectPaths(schema);
    t.true(levels.length > 5);
    const values = valuesOf(Object.fromEntries(levels.map((level) => [nameOf([...level, 'nonsense']), 1])));
    const rendering = await render(leastFile, values);
    t.false(rendering.ok);
    for (const level of levels) {
      const says = `at '${level.map((key) => `/${key}`).join('')}': additional properties 'nonsense' not allowed`;
      t.true(!rendering.ok && rendering.problem.includes(says), says);
    }
  });

  test.serial(`null takes a value of ${chart} away, or is refused with a sentence`, async (t) => {
    t.timeout(600_000);
    const problems = await problemsOf([...blocks, ...leaves.map(({ path }) => path)], async (path) => {
      const rendering = await render(leastFile, nest(path, null));
      const isCrash = !rendering.ok && /nil pointer|wrong type|can't evaluate|invalid value/.test(rendering.problem);
      return isCrash ? `${nameOf(path)}: ${rendering.problem}` : undefined;
    });
    t.deepEqual(problems, []);
  });

  test.serial(`${chart} can be used with Helm 3`, (t) => {
    t.is(schema.$schema, 'http://json-schema.org/draft-07/schema#');
    const keywords = JSON.stringify(schema);
    t.notRegex(keywords, /"(?:unevaluatedProperties|dependentRequired|dependentSchemas|prefixItems|\$dynamicRef)":/);
    // Draft 7 passes over what stands beside a reference.
    t.notRegex(keywords, /"\$ref":"[^"]*",|,"\$ref":/);
    for (const name of readdirSync(join(chartsFolder, chart, 'templates'), { recursive: true, encoding: 'utf8' }))
      if (/\.(?:yaml|tpl|txt)$/.test(name))
        t.notRegex(read(chart, `templates/${name}`), /\b(?:toYamlPretty|mustTo(?:Yaml|Toml)|fromToml)\b/, name);
  });

  test.serial(`the values of ${chart} do what their descriptions say`, async (t) => {
    t.timeout(300_000);
    t.true((effects[chart] ?? []).length >= 15);
    const problems = await problemsOf(effects[chart] ?? [], async ([values, at, shows]) => {
      const rendering = await render(leastFile, valuesOf(values));
      const is = rendering.ok ? place(rendering.objects, at) : rendering.problem;
      return isDeepStrictEqual(is, shows)
        ? undefined
        : `${JSON.stringify(values)}: ${at} is ${JSON.stringify(is)}, not ${JSON.stringify(shows)}`;
    });
    t.deepEqual(problems, []);
  });
}

test.serial('charts are looked at, and no exception is left of a value that is gone', (t) => {
  t.true(charts.length > 0);
  for (const [chart, names] of Object.entries(unseen))
    for (const name of Object.keys(names))
      t.true(
        chartOf(chart).leaves.some(({ path }) => nameOf(path) === name),
        `${chart}: ${name}`,
      );
});
