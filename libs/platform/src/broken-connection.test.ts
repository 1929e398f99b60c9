import type { Observation } from '@ranger-relay/contracts';
import { RelayError } from '@ranger-relay/errors';
import { clientFor, cutResponse, loopbackServer, type Responder } from '@ranger-relay/http/testing';
import test from 'ava';
import { createSensors } from './sensors.ts';

const faults: Readonly<Record<string, Responder>> = {
  'half a body': () => cutResponse('[{"object'),
  'a reset': () => Response.error(),
};
for (const [fault, responder] of Object.entries(faults))
  test(`${fault} while posting is transient and ambiguous`, async (t) => {
    const keys = { apiKey: async () => ({ value: 'k1' }), refused: () => undefined };
    const { origin } = await loopbackServer(t, responder);
    const sensors = createSensors(origin, clientFor(t), keys);
    const error = await t.throwsAsync(sensors.postObservations('p', [{ source: 'i' } as Observation]), {
      instanceOf: RelayError,
    });
    t.is(error.code, 'platform_unavailable');
    t.true(error.ambiguous);
    t.is(error.retryAfterMs, undefined);
  });
