import { RelayError } from '@ranger-relay/errors';
import type { TypeRegistration } from '@ranger-relay/platform';
import { manualClock, recordingLogger, testContext } from '@ranger-relay/runtime/testing';
import test from 'ava';
import { discoverActions, registerOnStart } from '../index.ts';
import { action } from '../test/actions.ts';

const catalogue = discoverActions({ action_pull: action('pull', undefined, { schedule: '0 0 13 * 5' }) });

const setUp = () => {
  const { log, lines } = recordingLogger();
  const clock = manualClock();
  const context = testContext({ clock, log });
  const bodies: TypeRegistration[] = [];
  const made = { fails: 0, asked: 0 };
  const platform = {
    async registerType(body: TypeRegistration) {
      made.asked += 1;
      if (made.asked <= made.fails)
        throw new RelayError('registration_refused', { details: { type: 'site', reason: '403' } });
      bodies.push(body);
      return { value: body.value };
    },
  };
  const start = (REGISTER_ON_START: boolean, slug = 'site') =>
    registerOnStart(
      context,
      platform,
      { REGISTER_ON_START, INTEGRATION_TYPE_SLUG: slug, INTEGRATION_SERVICE_URL: undefined },
      { catalogue },
    );
  return Object.assign(made, { start, bodies, lines, clock, context });
};

test('nothing is registered unless it is asked for', async (t) => {
  const w = setUp();
  w.start(false);
  await w.clock.advance(0);
  t.is(w.asked, 0);
});

test('what is registered is said, and so is what the platform may understand otherwise', async (t) => {
  const w = setUp();
  w.start(true);
  await w.clock.advance(0);
  t.is(w.bodies[0]?.value, 'site');
  t.true(w.lines.some(({ msg }) => String(msg).includes('restricts both kinds of days')));
  t.true(w.lines.some(({ actions }) => JSON.stringify(actions) === '["pull"]'));
});

test('a platform that is away, or refuses, holds up nothing: the type is registered once it is taken, and each try is told', async (t) => {
  const w = setUp();
  w.fails = 4;
  w.start(true);
  t.is(w.lines.filter(({ level }) => level === 'error').length, 0);
  for (let n = 0; n < 100 && w.bodies.length === 0; n += 1) await w.clock.advance(10_000);
  t.is(w.asked, 5);
  t.is(w.lines.filter(({ msg }) => msg === 'the integration type is not registered').length, 4);
  await w.clock.advance(86_400_000);
  t.is(w.asked, 5);
});

test('tries come ten minutes apart at most, and end with the process', async (t) => {
  const w = setUp();
  w.fails = Number.POSITIVE_INFINITY;
  w.start(true);
  await w.clock.advance(3_600_000);
  const before = w.asked;
  await w.clock.advance(605_000);
  t.is(w.asked, before + 1);
  await w.context.lifecycle.stop();
  await w.clock.advance(86_400_000);
  t.is(w.asked, before + 1);
  t.is(w.clock.pending(), 0);
});

test('a type that cannot be registered at all stops the start', (t) => {
  t.throws(() => setUp().start(true, 'no slug'), { message: /INTEGRATION_TYPE_SLUG/ });
});
