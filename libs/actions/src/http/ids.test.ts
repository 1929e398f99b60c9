import test from 'ava';
import { action } from '../test/actions.ts';
import { park } from '../test/harness.ts';
import { envelope, httpHarness } from '../test/http-harness.ts';

const id = 'ffffffff-fe05-4164-b03d-206cd50fd15a';
const upper = id.toUpperCase();

const open = () => {
  const ran: string[] = [];
  const run = ({ integration }: { readonly integration: { readonly id: string | null } }) =>
    void ran.push(String(integration.id));
  const w = httpHarness({ action_work: action('generic', run), action_text: action('push', run) });
  w.platform.configs = { work: {}, text: {} };
  return { ...w, ran };
};

for (const [what, path, body] of [
  [
    'an execution',
    '/v1/actions/execute',
    (integration: string) => ({ integration_id: integration, action_id: 'work' }),
  ],
  ['a command', '/', (integration: string) => envelope({ integration_id: integration, action_id: 'work' })],
  [
    'pushed data',
    '/push-data',
    (integration: string) => envelope({ event_type: 'Text' }, { attributes: { destination_id: integration } }),
  ],
] as const)
  test(`${what} for an integration in upper case is for the same integration`, async (t) => {
    const w = open();
    await w.post(path, body(upper));
    t.deepEqual(
      w.entries.map(({ integrationId }) => integrationId),
      [id, id],
    );
  });

test('one event in two spellings runs once', async (t) => {
  const w = open();
  for (const [event_id, integration_id] of [
    [id, park],
    [upper, park],
  ])
    await w.post('/', envelope({ event_id, integration_id, action_id: 'work' }, { messageId: event_id }));
  t.is(w.ran.length, 1);
});

test('pushed data without a message id runs once in two spellings of its event', async (t) => {
  const w = open();
  for (const event_id of [id, upper])
    await w.post(
      '/push-data',
      envelope({ event_type: 'Text', event_id }, { messageId: null, attributes: { destination_id: park } }),
    );
  t.is(w.ran.length, 1);
});
