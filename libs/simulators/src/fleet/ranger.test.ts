import { fc, testProp } from '@fast-check/ava';
import test from 'ava';
import { seeded } from '../time/random.ts';
import { spoil } from './bad-events.ts';
import { deviceEvent } from './device-event.ts';
import { createRanger } from './ranger.ts';
import { startWalk } from './walk.ts';

const quiet = { checkIns: 0, texts: 0, noFix: 0, sos: 0 };
const at = Date.UTC(2026, 0, 1);

testProp(
  'a walk stays around the park for ever',
  [fc.nat(), fc.integer({ min: 1_000, max: 600_000 })],
  (t, seed, ms) => {
    const walk = startWalk(seeded(seed));
    for (let n = 0; n < 300; n += 1) {
      const { latitude, longitude, altitude } = walk.step(ms);
      t.true(Math.hypot((latitude ?? 0) + 1.3, (longitude ?? 0) - 36.8) * 111.2 < 35);
      t.true((altitude ?? 0) > 1_400 && (altitude ?? 0) < 1_900);
    }
  },
);

test('a calm ranger starts a track and then reports positions', (t) => {
  const ranger = createRanger('1', 60_000, quiet, seeded(1));
  const codes = Array.from({ length: 50 }, (_, n) => ranger.next(at + n).messageCode);
  t.deepEqual(codes, [10, ...Array.from({ length: 49 }, () => 0)]);
});

test('an SOS takes its course, and declaring it again changes nothing', (t) => {
  const ranger = createRanger('1', 60_000, quiet, seeded(1));
  ranger.next(at);
  ranger.declareSos();
  const codes = Array.from({ length: 10 }, (_, n) => {
    ranger.declareSos();
    return ranger.next(at + 1 + n).messageCode;
  });
  t.deepEqual(codes.slice(0, 8), [4, 0, 6, 0, 0, 0, 0, 7]);
});

test('an SOS can come by chance', (t) => {
  const ranger = createRanger('1', 60_000, { ...quiet, sos: 0.5 }, seeded(1));
  const codes = Array.from({ length: 100 }, (_, n) => ranger.next(at + n).messageCode);
  t.true(codes.filter((code) => code === 4).length > 3);
});

test('a text is never longer than a device can send, and only texts have one', (t) => {
  const ranger = createRanger('1', 60_000, { ...quiet, texts: 0.5 }, seeded(1));
  for (let n = 0; n < 200; n += 1) {
    const { messageCode, freeText, addresses } = ranger.next(at + n);
    t.is(messageCode === 3, typeof freeText === 'string');
    t.is(messageCode === 3, (addresses ?? []).length === 1);
    t.true([...(freeText ?? '')].length <= 160);
  }
});

test('a battery runs low, is changed, and says so once', (t) => {
  const ranger = createRanger('1', 60_000, quiet, seeded(3));
  const states = Array.from({ length: 3_000 }, (_, n) => ranger.next(at + n).status);
  const resets = states.filter((status) => status?.resetDetected === 1).length;
  t.true(resets >= 2 && resets < 8);
  const firstReset = states.findIndex((status) => status?.resetDetected === 1);
  t.is(states[firstReset - 1]?.lowBattery, 1);
  t.is(states[firstReset]?.lowBattery, 0);
});

testProp('a spoiled event lacks what its reason says, and the event itself is untouched', [fc.nat()], (t, seed) => {
  const event = deviceEvent('1', at);
  const { reason, payload } = spoil(event, seeded(seed));
  t.deepEqual(event, deviceEvent('1', at));
  if (reason === 'not_an_object') return t.is(typeof payload, 'string');
  const spoiled = payload as Record<string, unknown>;
  t.is('imei' in spoiled, reason !== 'missing_imei');
  t.is('messageCode' in spoiled, reason !== 'missing_message_code');
  t.is(Number.isFinite(spoiled['timeStamp']), reason !== 'bad_time');
});
