import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { chartsFolder, ciFiles, mustRender, renderChart } from './charts/render.ts';
import { otherValues, type Schema, schemaAt } from './charts/schema.ts';
import { nest, type Path, readValuesFile, valueAt } from './charts/values-file.ts';
import { openTools } from './harness/node.ts';

const chart = 'ranger-relay';
const read = (file: string): string => readFileSync(join(chartsFolder, chart, file), 'utf8');

let node: Awaited<ReturnType<typeof openTools>>;
const bases = new Map<string, string>();
test.before(async (t) => {
  node = await openTools(t);
  for (const file of ciFiles(chart))
    bases.set(file, (await mustRender(renderChart(node.env, chart, { files: [file] }))).text);
});

const { leaves, examples } = readValuesFile(read('values.yaml'));
const schema = JSON.parse(read('values.schema.json')) as Schema;
const places = ['ingester', 'forwarder', 'pusher', 'runner', 'embedded', 'tasks'];
const atTopOnly = new Set([...places, 'tests', 'configCheck', 'extraObjects']);

/** Blocks of which only parts may have an effect at a place: each part counts as a block. */
const wide = new Set(['kafka', 'redis', 'networkPolicy']);
const blockOf = (path: Path): string => path.slice(0, wide.has(path[0] ?? '') ? 2 : 1).join('.');

/** Other values of each shared setting, examples first, by the block that they belong to. */
const candidates = new Map<string, object[]>();
const add = (path: Path, values: readonly object[]): void => {
  if (atTopOnly.has(path[0] ?? '')) return;
  candidates.set(blockOf(path), [...(candidates.get(blockOf(path)) ?? []), ...values]);
};
for (const { path, value } of leaves) {
  const given = examples.map(({ values }) => valueAt(values, path)).filter((example) => example !== undefined);
  const others = otherValues(schema, schemaAt(schema, path) ?? {}, value);
  add(
    path,
    [...given, ...others].map((other) => nest(path, other)),
  );
}
for (const { values } of examples) {
  const [[first = '', inner] = []] = Object.entries(values);
  add([first, ...(wide.has(first) ? Object.keys(inner as object).slice(0, 1) : [])], [values]);
}

/** What becomes of a block at a place: it changes a rendering, the schema does not know it there, or it is ignored. */
const fateOf = async (place: string, block: string): Promise<string> => {
  const files = ciFiles(chart).filter((file) => file.includes('embedded') === (place === 'embedded'));
  for (const values of candidates.get(block) ?? [])
    for (const file of files) {
      const rendering = await renderChart(node.env, chart, { files: [file], values: { [place]: values } });
      if (rendering.ok && rendering.text !== bases.get(file)) return 'effect';
      if (rendering.ok) continue;
      if (block.split('.').some((key) => rendering.problem.includes(`invalid propertyName '${key}'`))) return 'refused';
      if (rendering.problem.includes('execution error')) return 'effect';
    }
  return 'ignored';
};

for (const place of places)
  test.serial(`each shared block has an effect under ${place}, or is refused there`, async (t) => {
    t.timeout(300_000);
    t.true(candidates.size > 45);
    const ignored: string[] = [];
    const blocks = [...candidates.keys()];
    const next = async (): Promise<void> => {
      for (let block = blocks.shift(); block !== undefined; block = blocks.shift())
        if ((await fateOf(place, block)) === 'ignored') ignored.push(`${place}.${block}`);
    };
    await Promise.all([next(), next()]);
    t.deepEqual(ignored, []);
  });
