import {
  configEventSchema,
  deadLetterKindSchema,
  outboundMessageSchema,
  runActionCommandSchema,
  siteEventSchema,
  sourceEventSchema,
  topics,
  type DeadLetter,
  type DeadLetterKind,
} from '@ranger-relay/contracts';
import { configKey } from '@ranger-relay/platform';
import test from 'ava';
import { integration, letter, refusedEvent, harness } from './test/harness.ts';

const base64 = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64');

const envelope = (data: unknown, attributes: object = {}) => ({
  message: { data: base64(data), attributes, messageId: 'm1' },
  subscription: 's',
});

const vendorEvent = {
  imei: '300434030000001',
  messageCode: 3,
  freeText: 'Back at noon',
  timeStamp: Date.UTC(2025, 11, 31),
  point: { latitude: -1.25, longitude: 36.8, altitude: 1, gpsFix: 2, course: 0, speed: 0 },
};

const command = { integration_id: integration, action_id: 'pull_events', triggered_by: 'manual', event_id: 'e1' };
const commands = 'site_connector-actions-topic';

const text = {
  event_id: 'event-1',
  event_type: 'MessageTransformedVendor',
  payload: { Message: 'Return to camp', Recipients: ['300434030000001'], Sender: 'ops@site.org' },
};

const configEvent = {
  event_id: 'c1',
  timestamp: '2026-01-01T00:00:00.000Z',
  schema_version: 'v1',
  event_type: 'IntegrationDeleted',
  payload: { id: integration },
};

const siteEvent = {
  v: 1,
  integration_id: integration,
  event_id: 'event-7',
  received_at: '2026-01-01T00:00:00.000Z',
  site: 'https://site.example',
  with_files: false,
  row: { id: 'event-7', title: 'Snare' },
};

/** A letter of a kind as its service writes it, where a replay of it arrives, and how that is read there. */
interface Sample {
  readonly letter: Partial<DeadLetter> & { readonly body: unknown };
  readonly topic: string;
  readonly read: { parse(value: unknown): unknown };
}

const sourceEvents = { topic: topics.sourceEvents.name, read: sourceEventSchema };
const none = { origin: null } as const;

const samples: Readonly<Record<DeadLetterKind, readonly Sample[]>> = {
  webhook_body: [{ letter: { ...none, body: { Version: '2.0', Events: [vendorEvent] } }, ...sourceEvents }],
  webhook_event: [{ letter: { ...none, body: { Version: '2.0', Events: [vendorEvent] } }, ...sourceEvents }],
  observation: [{ letter: { body: refusedEvent() }, ...sourceEvents }],
  message: [{ letter: { body: refusedEvent() }, ...sourceEvents }],
  site_event: [
    {
      letter: { ...none, headers: { event: 'event-7' }, body: siteEvent },
      topic: topics.siteEvents.name,
      read: siteEventSchema,
    },
  ],
  push_envelope: [
    {
      letter: { ...none, integration_id: null, body: envelope(command) },
      topic: commands,
      read: runActionCommandSchema,
    },
    {
      letter: { ...none, integration_id: null, body: envelope(text, { destination_id: integration }) },
      topic: topics.outboundMessages.name,
      read: outboundMessageSchema,
    },
  ],
  push_message: [
    {
      letter: { ...none, body: { v: 1, attributes: { destination_id: integration, delivery_id: 'd1' }, data: text } },
      topic: topics.outboundMessages.name,
      read: outboundMessageSchema,
    },
  ],
  command: [
    { letter: { ...none, body: envelope(command) }, topic: commands, read: runActionCommandSchema },
    {
      letter: { origin: { topic: commands, partition: 0, offset: '1' }, body: command },
      topic: commands,
      read: runActionCommandSchema,
    },
  ],
  config_event: [
    {
      letter: { ...none, integration_id: null, body: envelope(configEvent) },
      topic: topics.configEvents.name,
      read: configEventSchema,
    },
  ],
};

const setUp = async () => {
  const w = harness();
  const cached = { id: integration, enabled: true, type: { value: 'site_connector' } };
  const loaded_at = new Date(w.clock.now()).toISOString();
  await w.kv.config.set(configKey.integration(integration), JSON.stringify({ loaded_at, value: cached }));
  const on = async (topic: string) => {
    const found = [];
    for await (const { key, value } of w.bus.read({ topic }))
      found.push({ key, value: JSON.parse(Buffer.from(value).toString()) as unknown });
    return found;
  };
  return { ...w, on };
};

for (const kind of deadLetterKindSchema.options)
  for (const [index, { letter: more, topic, read }] of samples[kind].entries())
    test(`a letter of kind ${kind} is replayed to where its service takes it up again (${index + 1})`, async (t) => {
      const { run, store, on, kv } = await setUp();
      await store(letter({ kind, ...more }));
      const { code, err } = await run('replay', 'letter-1');
      t.is(code, 0, err);
      const [record, ...others] = await on(topic);
      t.deepEqual(others, []);
      t.notThrows(() => read.parse(record?.value));
      t.true(record?.key.startsWith(integration));
      t.regex((await kv.state.get('dlq.letter-1')) ?? '', /"state":"replayed"/);
    });

test('an event of a site goes out with every digit, as a replay of its letter', async (t) => {
  const { run, store, bus } = await setUp();
  const body = JSON.stringify(siteEvent).replace('"Snare"', '9007199254740993');
  await store({ ...letter({ kind: 'site_event', ...none }), body_base64: Buffer.from(body).toString('base64') });
  t.is((await run('replay', 'letter-1')).code, 0);
  for await (const { key, value, headers } of bus.read({ topic: topics.siteEvents.name })) {
    t.is(key, `${integration}:event-7`);
    t.is(Buffer.from(value).toString(), body);
    t.regex(headers['dead-letter'] ?? '', / letter-1$/);
  }
});

test('a command goes to the topic that the installation names', async (t) => {
  const { run, store, on, shell } = await setUp();
  const [pushed] = samples.command;
  shell.env['INTEGRATION_COMMANDS_TOPIC'] = 'named-topic';
  await store(letter({ kind: 'command', ...pushed?.letter }));
  t.is((await run('replay', 'letter-1')).code, 0);
  t.deepEqual([(await on('named-topic')).length, (await on(commands)).length], [1, 0]);
});

test('without the type of its integration a command stays, and what to set is said', async (t) => {
  const { run, store, kv } = await setUp();
  await kv.config.delete(configKey.integration(integration));
  await store(letter({ kind: 'command', ...samples.command[0]?.letter }));
  const { code, err } = await run('replay', 'letter-1');
  t.is(code, 1);
  t.regex(err, /INTEGRATION_COMMANDS_TOPIC/);
  t.is(await kv.state.get('dlq.letter-1'), null);
});

test('what cannot be read still stays, with why', async (t) => {
  const { run, store } = await setUp();
  await store(
    letter({ id: 'a', kind: 'push_envelope', body: '{' }),
    letter({ id: 'b', kind: 'command', body: { integration_id: integration } }),
    letter({ id: 'c', kind: 'config_event', body: envelope({ event_type: 'Other' }) }),
    letter({ id: 'd', kind: 'site_event', body: 'no JSON' }),
    letter({ id: 'e', kind: 'of_tomorrow' as DeadLetterKind }),
  );
  const { code, err } = await run('replay', '--all');
  t.is(code, 1);
  for (const [id, why] of [
    ['a', 'it is still unreadable'],
    ['b', 'not a command that this version reads'],
    ['c', 'not a config event that this version reads'],
    ['d', 'not an event of a site'],
    ['e', 'one of a newer version'],
  ])
    t.regex(err, new RegExp(`${id} cannot be replayed: .*${why}`));
});
