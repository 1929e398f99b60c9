import { readFileSync } from 'node:fs';
import { operatorEnv } from '@ranger-relay/operator';
import test from 'ava';
import { renderLeast } from './charts/least.ts';
import { place } from './charts/place.ts';
import { mustRender } from './charts/render.ts';
import { openTools } from './harness/node.ts';

let node: Awaited<ReturnType<typeof openTools>>;
test.before(async (t) => {
  node = await openTools(t);
});

type Paths = Readonly<Record<string, unknown>>;

const twice = ['1', '2'].map((value) => ({ name: 'PROBE', value }));

for (const [values, sentence] of [
  [{ 'image.tag': 'latest' }, /image\.tag is latest, which is another image each day/],
  [{ 'serviceMonitor.enabled': true }, /lets nobody read the metrics; name the namespace of Prom/],
  [{ 'serviceAccount.create': false }, /set serviceAccount\.name to the account to use/],
  [{ 'config.JOB_IMAGE': 'x:1' }, /'\/config': additional properties 'JOB_IMAGE' not allowed/],
  [{ 'config.OPERATOR_NAMESPACE': 'x' }, /'\/config': additional properties 'OPERATOR_NAMESPACE' not allowed/],
  [{ extraEnv: [{ name: 'JOB_IMAGE', value: 'x' }] }, /extraEnv gives JOB_IMAGE, which the pod has without it/],
  [{ extraEnv: twice }, /extraEnv gives PROBE, which the pod has without it/],
  [{ watchNamespaces: ['a,b'] }, /'\/watchNamespaces\/0': 'a,b' does not match/],
  [{ watchNamespaces: ['a'], allNamespaces: true }, /allNamespaces is true and watchNamespaces names some/],
  [{ 'resources.limits.memory': '100Mi', 'resources.requests.memory': '99Mi' }, /too little for a heap/],
  [{ 'resources.limits.memory': null }, /'\/resources\/limits': missing property 'memory'/],
  [{ heapMiB: 200 }, /too little for a heap of 200 MiB/],
  [{ terminationGracePeriodSeconds: 50 }, /needs at least 51/],
  [{ nameOverride: 'a.b' }, /'\/nameOverride': 'a\.b' does not match/],
  [{ fullnameOverride: '1relay' }, /'\/fullnameOverride': '1relay' does not match/],
] satisfies readonly (readonly [Paths, RegExp])[])
  test.serial(`is refused with one sentence: ${JSON.stringify(values)}`, async (t) => {
    const rendering = await renderLeast(node.env, 'operator', values);
    const problem = rendering.ok ? 'it is rendered' : rendering.problem;
    t.regex(problem, sentence);
    t.true(problem.split('\n').length <= 3, problem);
  });

test.serial('each variable of the operator is a value, with its default, or is set by the template', async (t) => {
  const values = { 'jobs.imagePullSecrets': ['a'], 'jobs.serviceAccountName': 'a' };
  const { objects } = await mustRender(renderLeast(node.env, 'operator', values));
  const env = place(objects, 'Deployment#spec.template.spec.containers[0].env') as { name: string; value: string }[];
  const set = new Map(env.map(({ name, value }) => [name, value]));
  // The namespace of the pod, and the port of requests, which it has none of.
  const left = Object.keys(operatorEnv).filter((name) => !set.has(name));
  t.deepEqual(left, ['OPERATOR_NAMESPACE', 'HEALTH_PORT']);
  for (const name of ['CONCURRENCY', 'LOG_LEVEL', 'HOST'] as const)
    t.is(set.get(name), operatorEnv[name].default, name);
});

test.serial('the process is started as the launcher starts it', async (t) => {
  const launcher = new URL('../../cli/relay/bin/service-process.json', import.meta.url);
  const { flags, env } = JSON.parse(readFileSync(launcher, 'utf8')) as { flags: string[]; env: Record<string, string> };
  const { objects } = await mustRender(renderLeast(node.env, 'operator', {}));
  const args = place(objects, 'Deployment#spec.template.spec.containers[0].args') as string[];
  t.deepEqual(args.slice(1), [...flags, '/app/operator.mjs']);
  for (const [name, value] of Object.entries(env))
    t.is(place(objects, `Deployment#spec.template.spec.containers[0].env[name=${name}].value`), value);
});
