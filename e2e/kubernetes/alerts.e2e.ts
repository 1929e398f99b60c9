import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { shellLines, shellWords } from '@ranger-relay/terminal/testing';
import test from 'ava';
import { call } from './harness/call.ts';
import { openNode, type KubernetesNode } from './harness/node.ts';

const k8s = fileURLToPath(new URL('../../k8s/', import.meta.url));
const filesIn = (folder: string, ending: string): string[] =>
  readdirSync(join(k8s, folder))
    .filter((name) => name.endsWith(ending))
    .map((name) => join(k8s, folder, name));

let node: KubernetesNode;
test.before(async (t) => {
  node = await openNode(t, { scanners: true });
});

const promtool = (what: 'check' | 'test', files: readonly string[]) =>
  call('promtool-rules', [what, ...files], { env: node.env, timeoutMs: 580_000 });

test.serial('Prometheus takes every rule', async (t) => {
  const { code, stderr } = await promtool('check', filesIn('alerts', '.yaml'));
  t.is(code, 0, stderr);
});

test.serial('every alert fires when it should, and only then', async (t) => {
  // Some cases are of a day, minute by minute.
  t.timeout(600_000);
  const { code, stdout, stderr } = await promtool('test', filesIn('alerts/tests', '.yaml'));
  t.is(code, 0, stdout + stderr);
});

test.serial('an alert that never fires is found by its tests', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'ranger-relay-alerts-'));
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  const rules = readFileSync(join(k8s, 'alerts/observation-forwarder.yaml'), 'utf8');
  writeFileSync(join(folder, 'observation-forwarder.yaml'), rules.replace('age_seconds) > 60', 'age_seconds) > 6000'));
  const cases = readFileSync(join(k8s, 'alerts/tests/observation-forwarder.yaml'), 'utf8');
  writeFileSync(
    join(folder, 'cases.yaml'),
    cases.replace('../observation-forwarder.yaml', 'observation-forwarder.yaml'),
  );
  const { code, stdout, stderr } = await promtool('test', [join(folder, 'cases.yaml')]);
  t.is(code, 1);
  t.regex(stdout + stderr, /RelaySosWaiting/);
});

interface Dashboard {
  readonly panels: readonly { readonly targets?: readonly { readonly expr: string }[] }[];
}

test.serial('Prometheus takes every query of the dashboards', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'ranger-relay-dashboards-'));
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  const queries = filesIn('dashboards', '.json').flatMap((file) =>
    (JSON.parse(readFileSync(file, 'utf8')) as Dashboard).panels.flatMap(({ targets = [] }) =>
      targets.map(({ expr }) => expr.replaceAll('$__rate_interval', '5m').replaceAll('$__range', '1h')),
    ),
  );
  t.true(queries.length > 60);
  const rules = queries.map((expr, at) => ({ record: `query:${at}`, expr }));
  const file = join(folder, 'queries.yaml');
  writeFileSync(file, JSON.stringify({ groups: [{ name: 'queries', rules }] }));
  const { code, stderr } = await promtool('check', [file]);
  t.is(code, 0, stderr);
});

/** The words of a call that name what is asked of kubectl or helm: those before the first that is no word of it. */
const verbsOf = (words: readonly string[]): readonly string[] => {
  const [program = '', verb = '', ...rest] = words;
  const more = { create: verb === 'create' && rest[0] === 'secret' ? 2 : 1, rollout: 1, config: 1, top: 1 }[verb] ?? 0;
  return [program, verb, ...rest.slice(0, more)];
};

test.serial('kubectl and helm have every command and option that the runbooks name', async (t) => {
  t.timeout(300_000);
  const pages = [...filesIn('runbooks', '.md'), fileURLToPath(new URL('../../UPGRADING.md', import.meta.url))];
  const calls = pages.flatMap((page) => shellLines(readFileSync(page, 'utf8')).map(shellWords));
  const cluster = calls.filter(([program]) => program === 'kubectl' || program === 'helm');
  t.true(cluster.length > 50);
  const helps = new Map<string, string>();
  const { stdout: everywhere } = await call('kubectl', ['options'], { env: node.env });
  for (const words of cluster) {
    const [program = '', ...verbs] = verbsOf(words);
    const name = [program, ...verbs].join(' ');
    if (!helps.has(name)) {
      const { code, stdout } = await call(program, [...verbs, '--help'], { env: node.env });
      t.is(code, 0, name);
      helps.set(name, stdout + everywhere);
    }
    const own = words.includes('--') ? words.slice(0, words.indexOf('--')) : words;
    for (const option of own.filter((word) => word.startsWith('--')))
      t.true(helps.get(name)?.includes(option.split('=')[0] ?? option), `${words.join(' ')}: ${option}`);
  }
});
