import type { KubeClient } from '@ranger-relay/operator';
import { connect, startApiServer } from '@ranger-relay/operator/testing';
import { systemClock } from '@ranger-relay/runtime';
import { testContext } from '@ranger-relay/runtime/testing';
import test from 'ava';
import { questions } from './api-server/questions.ts';
import { adminConfig, clientOf } from './harness/api.ts';
import type { Kubectl } from './harness/kubectl.ts';
import { openNamespace, removeNamespace } from './harness/namespace.ts';
import { openNode, type KubernetesNode } from './harness/node.ts';
import { definitions, installDefinitions } from './harness/syncs.ts';

const namespace = 'api-server';

let node: KubernetesNode;
let kubectl: Kubectl;
let real: KubeClient;

test.before(async (t) => {
  node = await openNode(t);
  kubectl = await openNamespace(node, namespace);
  await installDefinitions(kubectl);
  real = await clientOf(adminConfig(node));
});
test.after.always(async () => {
  await removeNamespace(node, namespace);
  await kubectl.must('delete', 'customresourcedefinitions', '--ignore-not-found', ...definitions);
});

for (const [name, question] of Object.entries(questions))
  test.serial(`the API server of unit tests answers as the real one does: ${name}`, async (t) => {
    const { url } = await startApiServer(t);
    const memory = await connect(url, { clock: systemClock, metrics: testContext().metrics });
    const [said, meant] = [await question({ client: memory, namespace }), await question({ client: real, namespace })];
    t.log(JSON.stringify(meant));
    t.deepEqual(said, meant);
  });
