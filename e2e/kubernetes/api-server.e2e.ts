import { fileURLToPath } from 'node:url';
import test from 'ava';
import { openAccess, startApiServer, type ApiServer } from '@ranger-relay/operator-kit/testing';
import { questions } from './api-server/questions.ts';
import { adminAccess, apiAt } from './harness/api.ts';
import type { Kubectl } from './harness/kubectl.ts';
import { openNamespace, removeNamespace } from './harness/namespace.ts';
import { openNode, type KubernetesNode } from './harness/node.ts';

const crds = fileURLToPath(new URL('../../services/operator/crds', import.meta.url));
const namespace = 'api-server';
const kinds = ['PatrolSync', 'PatrolSyncRollback'].map((kind) => ({
  group: 'ranger-relay.dev',
  version: 'v1alpha1',
  plural: `${kind.toLowerCase()}s`,
  kind,
  namespaced: true,
}));

let node: KubernetesNode;
let kubectl: Kubectl;
let real: ReturnType<typeof apiAt>;
let server: ApiServer;
let memory: ReturnType<typeof apiAt>;

test.before(async (t) => {
  node = await openNode(t);
  kubectl = await openNamespace(node, namespace);
  await kubectl.must('apply', '--server-side', '--filename', crds);
  await kubectl.must('wait', '--for=condition=Established', '--timeout=30s', '--filename', crds);
  real = apiAt(await adminAccess(node));
  server = await startApiServer({ kinds });
  memory = apiAt(openAccess(server.url));
});
test.after.always(async () => {
  real?.close();
  memory?.close();
  await server?.close();
  await removeNamespace(node, namespace);
  await kubectl.must('delete', '--ignore-not-found', '--filename', crds);
});

for (const [name, question] of Object.entries(questions))
  test.serial(`the API server in memory answers as the real one does: ${name}`, async (t) => {
    const [said, meant] = [
      await question({ api: memory.api, namespace }),
      await question({ api: real.api, namespace }),
    ];
    t.log(JSON.stringify(meant));
    t.deepEqual(said, meant);
  });
