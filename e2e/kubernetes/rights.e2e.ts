import test from 'ava';
import { openNode } from './harness/node.ts';
import { podsOf } from './harness/pods.ts';
import { components, prepareRelease, type Release } from './harness/release.ts';

const park = 'aaaaaaaa-0000-4000-8000-000000000001';
let here: Release;

test.before(async (t) => {
  here = await prepareRelease(await openNode(t), 'rights', [park]);
  await here.install();
});
test.after.always(() => here?.remove());

const accountOf = async (component: string): Promise<string> => {
  const [pod] = await podsOf(here.kubectl, component);
  return pod?.spec?.serviceAccountName ?? 'default';
};

/** What an intruder in a pod would like to do. */
const wishes = [
  ['get', 'secrets'],
  ['list', 'secrets'],
  ['list', 'pods'],
  ['create', 'pods'],
  ['create', 'pods/exec'],
  ['create', 'jobs.batch'],
  ['patch', 'deployments.apps'],
  ['create', 'serviceaccounts/token'],
  ['get', 'nodes'],
  ['list', 'namespaces'],
] as const;

/** Calls the API server from inside a pod, without a shell: prints the status and the reason. */
const callFromPod = `
const { request } = require('node:https');
const { existsSync } = require('node:fs');
const [, path, token] = process.argv;
const headers = token ? { authorization: 'Bearer ' + token } : {};
request({ host: 'kubernetes.default.svc', path, headers, rejectUnauthorized: false }, (answer) => {
  let body = '';
  answer.on('data', (text) => (body += text)).on('end', () => {
    const mounted = existsSync('/var/run/secrets/kubernetes.io');
    process.stdout.write(JSON.stringify({ status: answer.statusCode, reason: JSON.parse(body).reason, mounted }));
  });
}).end();`;

for (const component of components) {
  test.serial(`${component} may do nothing with the API server, as can-i says`, async (t) => {
    const account = `system:serviceaccount:${here.kubectl.namespace}:${await accountOf(component)}`;
    for (const [verb, resource] of wishes) {
      const { stdout } = await here.kubectl.run('auth', 'can-i', verb, resource, '--as', account);
      t.is(stdout.trim(), 'no', `${verb} ${resource}`);
    }
  });

  test.serial(`${component} holds no token, and a call from its pod is refused with one and without`, async (t) => {
    const [pod] = await podsOf(here.kubectl, component);
    const token = (await here.kubectl.must('create', 'token', await accountOf(component))).trim();
    const path = `/api/v1/namespaces/${here.kubectl.namespace}/secrets`;
    const node = ['/usr/local/bin/node', '-e', callFromPod, path];
    for (const more of [[], [token]]) {
      const answer = await here.kubectl.must('exec', pod?.metadata.name ?? '', '--', ...node, ...more);
      t.deepEqual(JSON.parse(answer), { status: 403, reason: 'Forbidden', mounted: false });
    }
  });
}
