import test from 'ava';
import { harness } from '../test/harness.ts';

interface Listed {
  readonly name: string;
  readonly partitions: number;
  readonly consumers: readonly string[];
}

test('the list needs no brokers, has the names of the installation, and says who reads and writes', async (t) => {
  const { run, counts } = harness(
    {},
    { KAFKA_PREFIX: 'park.', RUNNER_TYPE_SLUG: 'sites', INTEGRATION_EVENTS_TOPIC: 'log' },
  );
  const listed = JSON.parse((await run('list', '--output', 'json')).out) as Listed[];
  const names = new Set(listed.map(({ name }) => name));
  for (const name of ['park.source-events', 'park.log', 'park.sites-actions-topic']) t.true(names.has(name), name);
  t.false(names.has('park.integration-events'));
  t.like(
    listed.find(({ name }) => name === 'park.source-events'),
    { partitions: 12, consumers: ['observation-forwarder'] },
  );
  t.is(counts.opened, 0);
});

test('as a table and as YAML the list holds the same topics', async (t) => {
  for (const output of ['table', 'yaml'])
    t.regex((await harness().run('list', '--output', output)).out, /source-events-parked/, output);
});

test('the rights of each service are told, with the group that it joins', async (t) => {
  const { out } = await harness({}, { KAFKA_PREFIX: 'park.' }).run('acl');
  t.regex(out, /^webhook-ingester +topic +park\.source-events +Write, DescribeConfigs$/m);
  t.regex(out, /^observation-forwarder +topic +park\.source-events +Read$/m);
  t.regex(out, /^observation-forwarder +group +park\.observation-forwarder +Read$/m);
  t.notRegex(out, /^webhook-ingester +group/m);
});

test('the rights are told as calls of the brokers’ own tool too', async (t) => {
  const { out } = await harness().run('acl', '--output', 'commands');
  t.regex(
    out,
    /^kafka-acls\.sh .*--allow-principal User:observation-forwarder --operation Read --operation Write --operation DescribeConfigs --operation Delete --topic 'source-events-parked'$/m,
  );
});
