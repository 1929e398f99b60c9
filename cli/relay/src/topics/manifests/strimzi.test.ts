import { commandsTopic, topics } from '@ranger-relay/contracts';
import test from 'ava';
import { harness } from '../test/harness.ts';
import { strimziManifests, type StrimziOptions } from './strimzi.ts';

const names = {
  topics: [...Object.values(topics), commandsTopic('site_connector', ['action-runner'])],
  prefix: 'Park_',
};
const options: StrimziOptions = { cluster: 'kafka', replicas: 3, authentication: 'scram-sha-512', api: 'v1beta2' };

const ofKind = (kind: string, more: Partial<StrimziOptions> = {}) =>
  strimziManifests(names, { ...options, ...more }).filter((manifest) => manifest.kind === kind) as readonly {
    readonly metadata: { readonly name: string };
    readonly spec: Readonly<Record<string, unknown>>;
  }[];

test('each topic of the catalogue is a manifest with its partitions, retention and copies', (t) => {
  const made = ofKind('KafkaTopic');
  t.is(made.length, names.topics.length);
  t.like(made[0]?.spec, {
    topicName: 'Park_source-events',
    partitions: 12,
    replicas: 3,
    config: { 'retention.ms': '1209600000', 'min.insync.replicas': '2', 'cleanup.policy': 'delete' },
  });
});

test('names of objects are legal where those of topics are more than that', (t) => {
  for (const { metadata } of strimziManifests(names, options))
    t.regex(metadata.name, /^[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?$/);
  t.true(ofKind('KafkaTopic').some(({ metadata }) => metadata.name === 'park-site-connector-actions-topic'));
});

test('with one copy nothing waits for a second one', (t) => {
  t.like(ofKind('KafkaTopic', { replicas: 1 })[0]?.spec, { replicas: 1, config: { 'min.insync.replicas': '1' } });
});

test('each service is a user with its rights, or there are none', (t) => {
  const [ingester] = ofKind('KafkaUser');
  t.is(ingester?.metadata.name, 'park-webhook-ingester');
  t.deepEqual(ingester?.spec['authentication'], { type: 'scram-sha-512' });
  t.like(ingester?.spec['authorization'], {
    acls: [
      {
        resource: { type: 'topic', name: 'Park_source-events', patternType: 'literal' },
        operations: ['Write', 'DescribeConfigs'],
      },
    ],
  });
  t.is(ofKind('KafkaUser').length, 5);
  t.deepEqual(ofKind('KafkaUser', { authentication: null }), []);
});

test('the command prints documents for kubectl, and needs the name of the cluster', async (t) => {
  const { code, out } = await harness().run('strimzi', '--cluster', 'kafka', '--namespace', 'park', '--users', 'none');
  t.is(code, 0);
  t.is(out.split('\n').filter((line) => line === '---').length, Object.keys(topics).length + 2);
  t.regex(out, /^ {2}namespace: park$/m);
  t.is((await harness().run('strimzi')).code, 2);
});

test('a name that kubectl would read as something else than a text is quoted', async (t) => {
  for (const name of ['true', 'no', 'on', 'y', 'null', '~', '1', '1.5', '1e3'])
    t.regex(
      (await harness().run('strimzi', '--cluster', 'kafka', '--namespace', name)).out,
      new RegExp(`namespace: "${name}"$`, 'm'),
    );
});
