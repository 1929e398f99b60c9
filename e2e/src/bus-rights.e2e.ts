import { grantRights } from '@ranger-relay/bus/testing';
import {
  busRightsOf,
  busUsers,
  commandsTopic,
  toolRights,
  toolUser as tool,
  topics,
  type BusUser,
} from '@ranger-relay/contracts';
import test from 'ava';
import { startCluster, type Cluster, type Replica } from './harness/cluster.ts';
import { settingsFor } from './harness/kafka/bus.ts';
import { run } from './harness/product.ts';
import { untilPrinted } from './harness/ready.ts';
import { envelope, event, post, untilStored } from './harness/traffic.ts';
import { until } from './harness/until.ts';

const park = 'aaaaaaaa-0000-4000-8000-000000000001';
const names = {
  topics: [
    ...Object.values(topics),
    commandsTopic('device_connector', ['message-pusher']),
    commandsTopic('site_connector', ['action-runner']),
  ],
  prefix: '',
};
/** May do what the ingester does, but not write the activity log. */
const limited = 'limited';
const users = [...busUsers, tool, limited];
const login = 'org.apache.kafka.common.security.plain.PlainLoginModule required';

/** Only the users below have rights; the listener without a login is for the brokers. */
const strict = [
  'authorizer.class.name=org.apache.kafka.metadata.authorizer.StandardAuthorizer',
  'super.users=User:ANONYMOUS',
  'allow.everyone.if.no.acl.found=false',
  `listener.name.sasl.plain.sasl.jaas.config=${login} ${users.map((user) => `user_${user}="word-of-${user}"`).join(' ')};`,
];

let here: Cluster;

const loginOf = (user: string): Readonly<Record<string, string>> => {
  const { sasl = '', caFile = '' } = here.kafka.secure ?? {};
  return {
    KAFKA_BROKERS: sasl,
    KAFKA_TLS: 'true',
    KAFKA_TLS_CA_FILE: caFile,
    KAFKA_SASL_MECHANISM: 'plain',
    KAFKA_SASL_USERNAME: user,
    KAFKA_SASL_PASSWORD: `word-of-${user}`,
  };
};

test.before(async () => {
  here = await startCluster([park], { ingesters: 0, forwarders: 0, kafka: { secure: true, lines: strict } });
  const settings = settingsFor(here.kafka);
  for (const user of busUsers) await grantRights(settings, user, busRightsOf(user, names));
  await grantRights(settings, tool, toolRights(names));
  const { name } = topics.integrationEvents;
  const others = busRightsOf('webhook-ingester', names).filter((right) => right.name !== name);
  await grantRights(settings, limited, [...others, { kind: 'topic', name, operations: ['Describe'] }]);
});
test.after.always(() => here?.remove());

const started = async (user: BusUser, more: Readonly<Record<string, string>> = {}): Promise<Replica> => {
  const replica = await here.add(user);
  await replica.start({ ...loginOf(user), AUTH_TOKEN: 'e2e-token', ...more });
  return replica;
};

test.serial(
  'with the rights of the catalogue and no others every service is ready, and events and dead letters flow',
  async (t) => {
    const [ingester] = await Promise.all(busUsers.map((user) => started(user)));
    const webhookUrl = `${ingester?.url}/webhooks`;
    const target = { ...here, webhookUrl };
    t.is((await post(target, park, envelope(event(1), event(2)))).status, 200);
    await untilStored(target, park, 2);
    t.is((await post(target, park, 'no json')).status, 200);

    const env = { ...here.env, ...loginOf(tool) };
    await until('the tools see the dead letter', async () => {
      const { code, stdout, stderr } = await run(['dlq', 'list', '--output', 'json'], env);
      if (code !== 0) throw new Error(stderr);
      return (JSON.parse(stdout) as unknown[]).length === 1;
    });
    const status = await run(['status', '--output', 'json'], env);
    t.is(status.code, 0, status.stderr);
    const activity = await run(['activity'], env);
    t.regex(activity.stdout, /WebhookComplete/);
    const probe = await run(['probe', '--no-doctor', '--url', webhookUrl], env);
    t.is(probe.code, 0, probe.stdout + probe.stderr);
  },
);

test.serial(
  'an ingester that may not write the activity log is ready, stores events, and names the right',
  async (t) => {
    const replica = await here.add('webhook-ingester');
    await replica.start(loginOf(limited));
    const { status } = await post({ ...here, webhookUrl: `${replica.url}/webhooks` }, park, envelope(event(3)));
    t.is(status, 200);
    const right = /may not write to integration-events; grant it Write/;
    await untilPrinted('the log names the right', replica.process(), right);
    t.true(await replica.ready());
    await replica.stop();
  },
);

test.serial('a service with the login of another one is not ready, and says so', async (t) => {
  const replica = await here.add('observation-forwarder');
  const launched = replica.launch(loginOf('webhook-ingester'));
  await untilPrinted('the log names the refusal', launched, /[Nn]ot authorized/, 20_000);
  t.false(await replica.ready());
  await replica.stop();
});
