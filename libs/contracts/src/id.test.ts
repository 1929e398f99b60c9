import { fc, testProp } from '@fast-check/ava';
import test from 'ava';
import { canonicalId } from './id.ts';
import {
  configEventKey,
  outboundMessageSchema,
  pushEnvelopeSchema,
  pushMessageOf,
  runActionCommandSchema,
} from './index.ts';

/** A UUID and another spelling of it. */
const spelled = fc.tuple(fc.uuid(), fc.array(fc.boolean(), { minLength: 36, maxLength: 36 })).map(([id, upper]) => ({
  id,
  other: [...id].map((letter, n) => (upper[n] ? letter.toUpperCase() : letter)).join(''),
}));

testProp(
  'a UUID has one spelling in every record and envelope, whoever wrote it how',
  [spelled],
  (t, { id, other }) => {
    t.is(canonicalId(other), id);
    const command = runActionCommandSchema.parse({ event_id: other, integration_id: other, action_id: 'A' });
    t.like(command, { event_id: id, integration_id: id, action_id: 'A' });
    const attributes = { destination_id: other, delivery_id: other };
    const message = { data: '', attributes, messageId: other };
    t.like(pushMessageOf(pushEnvelopeSchema.parse({ message })), {
      attributes: { destination_id: id, delivery_id: id },
      messageId: id,
    });
    t.like(outboundMessageSchema.parse({ v: 1, attributes, data: {} }), { attributes: { destination_id: id } });
    const event = { event_id: 'e', timestamp: '', schema_version: 'v1' } as const;
    for (const [event_type, payload] of [
      ['IntegrationUpdated', { id: other }],
      ['ActionConfigCreated', { id: 'c', integration: other }],
      ['ActionConfigUpdated', { id: 'c', integration_id: other }],
    ] as const)
      t.is(configEventKey({ ...event, event_type, payload }), id);
  },
);

test('an id that is no UUID stays as it was sent', (t) => {
  for (const id of ['Park-A', 'ABCDEF', 'FFFFFFFF-FE05-4164-B03D-206CD50FD15', '', '300434030000000'])
    t.is(canonicalId(id), id);
});
