import { readFileSync } from 'node:fs';
import test from 'ava';
import { leastFile, valuesOf } from './charts/least.ts';
import type { KubeObject } from './charts/objects.ts';
import { at } from './charts/place.ts';
import { mustRender, renderChart } from './charts/render.ts';
import { openTools } from './harness/node.ts';

/** Objects of the charts of the last release, by kind and name, with what an upgrade must keep: labels by which pods are found, ports and claims. */
type Objects = Readonly<Record<string, string>>;
const file = new URL('charts/last-release.json', import.meta.url);
const lastRelease = JSON.parse(readFileSync(file, 'utf8')) as Readonly<Record<string, Objects>>;
const { services = {}, embedded = {} } = lastRelease;

const identityOf = ({ kind, spec }: KubeObject): string => {
  const labels = at(spec, kind === 'Service' ? 'selector' : 'selector.matchLabels') ?? {};
  const selector = Object.entries(labels).map(([key, value]) => `${key.split('/').at(-1)}=${String(value)}`);
  const claims = (at(spec, 'volumeClaimTemplates') ?? []) as readonly KubeObject[];
  const ports = (kind === 'Service' ? at(spec, 'ports') : []) as readonly { name: string; port: number }[];
  const scaled = at(spec, 'scaleTargetRef.name');
  return [
    selector.toSorted().join(' '),
    at(spec, 'serviceName'),
    at(spec, 'resources.requests.storage'),
    ...claims.map((claim) => `${claim.metadata.name} ${String(at(claim, 'spec.resources.requests.storage'))}`),
    ...ports.map(({ name, port }) => `${name} ${port}`),
    at(spec, 'clusterIP'),
    scaled === undefined ? '' : `scales ${String(scaled)}`,
  ]
    .filter((part) => part !== undefined && part !== '')
    .join(', ');
};

let node: Awaited<ReturnType<typeof openTools>>;
test.before(async (t) => {
  node = await openTools(t);
});

/** What a chart makes now of the objects that there were. */
const kept = async (chart: string, was: Objects, paths: object, files = [leastFile]): Promise<Objects> => {
  const values = valuesOf(paths as Readonly<Record<string, unknown>>);
  const { objects } = await mustRender(renderChart(node.env, chart, { files, values, release: chart }));
  const is = new Map(objects.map((object) => [`${object.kind}/${object.metadata.name}`, identityOf(object)]));
  return Object.fromEntries(Object.keys(was).map((name) => [name, is.get(name) ?? 'gone']));
};

const more = {
  'ingester.autoscaling.enabled': true,
  'ingester.ingress': { enabled: true, hosts: ['relay.example'] },
  'forwarder.keda.enabled': true,
};

test.serial('an upgrade from the last release keeps names, selectors, ports and claims of all objects', async (t) => {
  t.deepEqual(await kept('ranger-relay', services, more), services);
  t.deepEqual(await kept('ranger-relay', embedded, { 'embedded.enabled': true }, []), embedded);
  for (const chart of ['operator', 'patrol-sync']) {
    const was = lastRelease[chart] ?? {};
    t.true(Object.keys(was).length > 10);
    t.deepEqual(await kept(chart, was, {}), was);
  }
});

test.serial('so does that of a release of one service chart', async (t) => {
  const blocks = ['ingester', 'forwarder', 'pusher', 'runner'];
  for (const block of blocks) {
    const was = Object.fromEntries(Object.entries(services).filter(([name]) => name.includes(`-${block}`)));
    const others = blocks.filter((key) => key !== block);
    const values = {
      ...Object.fromEntries(Object.entries(more).filter(([path]) => path.startsWith(block))),
      ...Object.fromEntries(others.map((key) => [`${key}.enabled`, false])),
      'kafka.topics.mode': 'none',
      'tests.probe.enabled': false,
    };
    t.true(Object.keys(was).length >= 5);
    t.deepEqual(await kept('ranger-relay', was, values), was, block);
  }
});
