import { RelayError } from '@ranger-relay/errors';
import type { TypeRegistration } from '@ranger-relay/platform';
import { recordingLogger } from '@ranger-relay/runtime/testing';
import test from 'ava';
import { discoverActions, registerOnStart } from '../index.ts';
import { action } from '../test/actions.ts';

const catalogue = discoverActions({ action_pull: action('pull', undefined, { schedule: '0 0 13 * 5' }) });

const setUp = () => {
  const { log, lines } = recordingLogger();
  const bodies: TypeRegistration[] = [];
  const platform = {
    async registerType(body: TypeRegistration) {
      bodies.push(body);
      return { value: body.value };
    },
  };
  const start = (REGISTER_ON_START: boolean, to: typeof platform = platform) =>
    registerOnStart(
      { log },
      to,
      { REGISTER_ON_START, INTEGRATION_TYPE_SLUG: 'site', INTEGRATION_SERVICE_URL: undefined },
      { catalogue },
    );
  return { start, bodies, lines };
};

test('nothing is registered unless it is asked for', async (t) => {
  const w = setUp();
  await w.start(false);
  t.deepEqual(w.bodies, []);
});

test('what is registered is said, and so is what the platform may understand otherwise', async (t) => {
  const w = setUp();
  await w.start(true);
  t.is(w.bodies[0]?.value, 'site');
  t.true(w.lines.some(({ msg }) => String(msg).includes('restricts both kinds of days')));
  t.true(w.lines.some(({ actions }) => JSON.stringify(actions) === '["pull"]'));
});

test('a platform that refuses stops the start', async (t) => {
  const error = new RelayError('registration_refused', { details: { type: 'site', reason: '403' } });
  await t.throwsAsync(setUp().start(true, { registerType: () => Promise.reject(error) }), { is: error });
});
