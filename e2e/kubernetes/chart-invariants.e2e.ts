import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { leastFile } from './charts/least.ts';
import { objectsOf } from './charts/objects.ts';
import { mustRender, renderChart } from './charts/render.ts';
import { invariants } from './charts/invariants/index.ts';
import { openTools } from './harness/node.ts';

const folder = mkdtempSync(join(tmpdir(), 'relay-invariants-'));
test.after.always(() => rmSync(folder, { recursive: true, force: true }));

const rules = invariants(folder);

const off = { enabled: false };
/** The ingester without what is beside it. */
const ingesterAlone = {
  forwarder: off,
  pusher: off,
  runner: off,
  configCheck: off,
  tests: { doctor: off, probe: off },
  kafka: { topics: { mode: 'none' } },
};

/** The rendering of the least values, which each test breaks in one place. */
let good = '';
test.before(async (t) => {
  const { env } = await openTools(t);
  good = (await mustRender(renderChart(env, 'ranger-relay', { files: [leastFile], values: ingesterAlone }))).text;
});

/** Rules that a rendering breaks. */
const brokenBy = (text: string): string[] => {
  const objects = objectsOf(text);
  return Object.entries(rules).flatMap(([rule, check]) => (check(objects).length > 0 ? [rule] : []));
};

test.serial('the rendering of the least values keeps every rule', (t) => {
  t.deepEqual(brokenBy(good), []);
});

const monitor = (port: string) => `---
apiVersion: monitoring.coreos.com/v1
kind: ServiceMonitor
metadata:
  name: m
  namespace: relay
  labels: { app.kubernetes.io/name: m }
spec: { selector: { matchLabels: { ranger-relay/role: metrics } }, endpoints: [{ port: ${port} }] }
`;
const ingress = (port: string) => `---
apiVersion: networking.k8s.io/v1
kind: Ingress
metadata: { name: i, namespace: relay }
spec:
  rules:
    - http:
        paths: [{ path: /webhooks, backend: { service: { name: release-webhook-ingester, port: { name: ${port} } } } }]
`;
const scaler = (name: string) => `---
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: { name: h, namespace: relay }
spec: { scaleTargetRef: { kind: Deployment, name: ${name} }, minReplicas: 2, maxReplicas: 3 }
`;

const topic = `---
apiVersion: kafka.strimzi.io/v1
kind: KafkaTopic
metadata: { name: t, namespace: relay, annotations: { helm.sh/resource-policy: delete } }
`;

const role = (apiGroup: string, resource: string, verb: string) => `---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: { name: r }
rules: [{ apiGroups: ['${apiGroup}'], resources: ['${resource}'], verbs: ['${verb}'] }]
`;

/** A rule, and a change of the good rendering that breaks it: what is replaced, or added at the end. */
const breaches: readonly (readonly [rule: string, from: string | RegExp, to: string])[] = [
  ['pods meet the restricted standard', 'runAsUser: 65532', 'runAsUser: 0'],
  ['pods meet the restricted standard', 'fsGroup: 65532', ''],
  ['pods meet the restricted standard', 'readOnlyRootFilesystem: true', 'readOnlyRootFilesystem: false'],
  ['pods meet the restricted standard', 'allowPrivilegeEscalation: false', 'allowPrivilegeEscalation: true'],
  ['pods meet the restricted standard', '- ALL', '- NET_RAW'],
  ['pods meet the restricted standard', 'type: RuntimeDefault', 'type: Unconfined'],
  ['pods meet the restricted standard', 'enableServiceLinks: false', 'hostNetwork: true'],
  ['pods meet the restricted standard', /emptyDir:\n\s+sizeLimit: 64Mi/, 'hostPath: { path: / }'],
  ['pods meet the restricted standard', /automountServiceAccountToken: false\n(\s+enable)/, 'x: y\n$1'],
  ['pods meet the restricted standard', 'mountPath: /tmp', 'mountPath: /tmp\n              subPath: x'],
  ['accounts keep their tokens', /^automountServiceAccountToken: false/m, 'automountServiceAccountToken: true'],
  ['rights are named', /$/, role('', 'pods', '*')],
  ['rights are named', /$/, role('*', 'pods', 'get')],
  ['rights are named', /$/, role('', 'secrets', 'list')],
  ['rights are named', /$/, role('', 'pods/exec', 'create')],
  ['rights are named', /$/, role('rbac.authorization.k8s.io', 'clusterroles', 'bind')],
  ['no secret stands in plain', 'name: PLATFORM_CLIENT_ID', 'name: PLATFORM_CLIENT_SECRET'],
  [
    'no secret stands in plain',
    'ports:\n            - { name: http',
    'envFrom: [{}]\n          ports:\n            - { name: http',
  ],
  ['images are pinned', 'ranger-relay:0.1.0', 'ranger-relay:latest'],
  ['images are pinned', 'ranger-relay:0.1.0', 'ranger-relay'],
  ['images are pinned', 'IfNotPresent', 'Always'],
  ['resources are bounded', 'memory: 512Mi', 'cpu: 2'],
  ['resources are bounded', /--max-old-space-size=\d+/, '--max-old-space-size=500'],
  ['scratch volumes are bounded', /emptyDir:\n\s+sizeLimit: 64Mi/, 'emptyDir: {}'],
  ['three probes ask what they should', 'path: /readyz', 'path: /livez'],
  ['ports have names', '{ name: http, containerPort', '{ containerPort'],
  [
    'selectors fit their own pods',
    /(kind: Deployment[^]*?matchLabels:\s+app.kubernetes.io\/name: )webhook-ingester/,
    '$1x',
  ],
  ['Services reach pods', 'targetPort: http', 'targetPort: htpp'],
  [
    'Services reach pods',
    /selector:\n    app.kubernetes.io\/name: webhook-ingester/,
    'selector:\n    app.kubernetes.io/name: x',
  ],
  [
    'budgets, policies and monitors select something',
    /(kind: PodDisruptionBudget[^]*?matchLabels:\s+app.kubernetes.io\/name: )webhook-ingester/,
    '$1x',
  ],
  ['budgets, policies and monitors select something', /$/, monitor('htpp')],
  ['scalers scale something', /$/, scaler('nothing')],
  ['scalers scale something', /$/, scaler('release-webhook-ingester')],
  ['routes lead to Services', /$/, ingress('htpp')],
  ['objects and pods are labelled', /app.kubernetes.io\/part-of: ranger-relay/, 'x: y'],
  [
    'selectors never change',
    /(matchLabels:\n\s+)(app.kubernetes.io\/instance: release)/,
    '$1app.kubernetes.io/version: a\n      $2',
  ],
  ['names are unique', 'name: release-webhook-ingester-metrics', 'name: release-webhook-ingester'],
  ['names are unique', 'namespace: relay', 'namespace: other'],
  ['nodes can be drained', 'maxUnavailable: 1', 'minAvailable: 2'],
  ['rollouts leave no gap', 'maxUnavailable: 0', 'maxUnavailable: 1'],
  ['work ends inside the grace', /terminationGracePeriodSeconds: \d+/, 'terminationGracePeriodSeconds: 30'],
  ['work ends inside the grace', /seconds: 5/, 'seconds: 50'],
  ['work ends inside the grace', /(STOP_GRACE_S, value: )"\d+"/, '$1"15"'],
  ['topics outlive their objects', /$/, topic],
  ['variables are those of the service', 'name: KV_HOST', 'name: KV_HOTS'],
  ['services start with their variables', 'value: "kafka:9092"', 'value: "kafka"'],
  ['services start with their variables', 'name: PLATFORM_CLIENT_ID', 'name: LOG_LEVEL'],
];

for (const rule of Object.keys(rules))
  test.serial(`breaches are seen of: ${rule}`, (t) => {
    const ofRule = breaches.filter(([name]) => name === rule);
    t.true(ofRule.length > 0);
    for (const [, from, to] of ofRule) {
      const bad = good.replace(from, to);
      t.not(bad, good, String(from));
      const broken = brokenBy(bad);
      t.true(broken.includes(rule), `${String(from)} → ${to}: ${broken.join(', ')}`);
    }
  });

test.serial('what leads somewhere breaks no rule about wiring', (t) => {
  const wiring = new Set(['routes lead to Services', 'budgets, policies and monitors select something']);
  const broken = brokenBy(good + ingress('http') + monitor('health')).filter((rule) => wiring.has(rule));
  t.deepEqual(broken, []);
});
