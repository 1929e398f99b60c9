import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { invariants } from './charts/invariants/index.ts';
import { chartNames, chartsFolder, ciFiles, renderChart, type Rendering } from './charts/render.ts';
import { call, must } from './harness/call.ts';
import { openNode, type KubernetesNode } from './harness/node.ts';

const folder = mkdtempSync(join(tmpdir(), 'relay-charts-'));
test.after.always(() => rmSync(folder, { recursive: true, force: true }));

let node: KubernetesNode;
test.before(async (t) => {
  node = await openNode(t);
});

const render = async (chart: string, file: string): Promise<Extract<Rendering, { ok: true }>> => {
  const rendering = await renderChart(node.env, chart, { files: [file] });
  if (!rendering.ok) throw new Error(`${chart}, ${file}: ${rendering.problem}`);
  return rendering;
};

for (const chart of chartNames())
  for (const file of ciFiles(chart))
    test(`every rule holds for ${chart} with ${file}`, async (t) => {
      const { objects } = await render(chart, file);
      t.true(objects.length > 0);
      const broken = Object.entries(invariants(folder)).flatMap(([rule, check]) =>
        check(objects).map((problem) => `${rule}: ${problem}`),
      );
      t.deepEqual(broken, []);
    });

for (const chart of chartNames())
  test(`helm finds nothing to say about ${chart}`, async (t) => {
    const files = ciFiles(chart).flatMap((file) => ['--values', join(chartsFolder, chart, file)]);
    for (let i = 0; i < files.length; i += 2) {
      const args = ['lint', '--strict', join(chartsFolder, chart), ...files.slice(i, i + 2)];
      const { code, stdout, stderr } = await call('helm', args, { env: node.env });
      t.is(code, 0, `${files[i + 1]}: ${stdout}${stderr}`);
      t.notRegex(stdout, /\[(?:WARNING|ERROR)\]/);
    }
  });

/** Written anew with UPDATE_EXAMPLES=1, and looked at before they are committed. */
for (const chart of chartNames())
  test(`the committed rendering of ${chart} is what the chart makes`, async (t) => {
    const examples = join(chartsFolder, chart, 'examples');
    if (!existsSync(examples)) return t.pass('it has none');
    for (const name of readdirSync(examples).filter((each) => each.endsWith('.yaml'))) {
      const { text } = await render(chart, `ci/${name.replace('.yaml', '-values.yaml')}`);
      if (process.env['UPDATE_EXAMPLES']) writeFileSync(join(examples, name), text);
      t.is(readFileSync(join(examples, name), 'utf8'), text, name);
    }
  });

test('helm builds and packs the charts without a network, and what is packed renders the same', async (t) => {
  const chart = 'webhook-ingester';
  await must('helm', ['package', join(chartsFolder, chart), '--destination', folder], { env: node.env });
  const packed = readdirSync(folder).find((name) => name.endsWith('.tgz')) ?? '';
  const values = join(chartsFolder, chart, 'ci/default-values.yaml');
  const args = ['template', 'release', join(folder, packed), '--namespace', 'relay', '--values', values];
  t.is(await must('helm', args, { env: node.env }), (await render(chart, 'ci/default-values.yaml')).text);
});
