import { RelayError } from '@ranger-relay/errors';
import { httpAnswer } from '@ranger-relay/http/testing';
import test from 'ava';
import { listedProblems } from './verdict.ts';
import { noRows, parks, run, startInstallation, unreachable } from './test/installation.ts';

test('a dropped SOS ends as soon as the platform is seen to have enabled its integration, whatever becomes of the request', async (t) => {
  const x = await startInstallation(t);
  await x.webhook(parks.closed, { messageCode: 4 });
  t.not(x.process.conditions.find('sos_dropped', parks.closed), undefined);
  x.enabled.closed = true;
  await x.pass(70);
  await x.webhook(parks.closed, {}, { 'content-encoding': 'gzip' });
  await x.pass(2);
  t.is(x.process.conditions.find('sos_dropped', parks.closed), undefined);
});

test('an account that lacks a permission is told of until the action that needs it succeeds, whatever another one may do', async (t) => {
  const x = await startInstallation(t);
  const refused = () => x.process.conditions.find('site_credentials_refused', parks.site)?.details['action'];
  x.say.site = () => httpAnswer(403, { status: { code: 403, message: 'Forbidden' } });
  await run(x, 'pull_events');
  t.is(refused(), 'pull_events');
  x.say.site = noRows;
  t.is(await run(x, 'pull_observations'), 200);
  t.is(refused(), 'pull_events');
  t.is(await run(x, 'pull_events'), 200);
  t.is(refused(), undefined);
});

test('of an integration that was disabled while no process ran, nothing is wrong after the start', async (t) => {
  const x = await startInstallation(t);
  x.enabled.closed = true;
  await x.webhook(parks.closed, {}, { 'content-encoding': 'gzip' });
  await x.webhook(parks.a, {}, { 'content-encoding': 'gzip' });
  await x.pass(16);
  x.enabled.closed = false;
  await x.restart();
  await x.pass(2);
  t.deepEqual(
    x.process.conditions.active().map(({ name, subject }) => [name, subject]),
    [['webhook_failing', parks.a]],
  );
});

test('a full disk is one line that names the parks to call, and what was refused stays a line of its own until the vendor has sent again', async (t) => {
  const x = await startInstallation(t);
  await x.webhook(parks.a);
  x.memory.before = () => {
    throw new RelayError('store_full', { details: { path: '/data/bus.sqlite' } });
  };
  const sos = { messageCode: 4, timeStamp: x.clock.now() };
  for (const park of [parks.a, parks.b]) await x.webhook(park, sos);
  await x.webhook(parks.b);
  await x.pass(40);
  const { verdict } = (await x.process.collect()).status;
  t.true(verdict.problems.length >= 5, 'each is in the JSON');
  const [line, ...rest] = listedProblems(verdict.problems);
  t.deepEqual(rest, []);
  t.is(line?.text, verdict.text);
  t.regex(
    verdict.text,
    /^Records cannot be written to emergencies: .*; follows from it: .*requests of Park a and Park b were refused, and what they held is not here yet: call these parks by telephone/,
  );
  t.regex(verdict.text, /webhook-ingester is not ready/);
  t.regex(line?.remedy ?? '', /Call the parks by telephone/);
  const told = x.lines.filter(({ condition }) => condition === 'webhook_failing');
  t.deepEqual(told, [], 'the log tells of them with their cause');
  x.memory.before = () => undefined;
  await x.pass(15);
  // On a cluster a topic without events is proven right by its next record only.
  const others = async () =>
    listedProblems((await x.process.collect()).status.verdict.problems).filter(
      ({ condition }) => condition !== 'topic_write_failing',
    );
  await x.pass(3_600);
  const [sosA, sosB] = [parks.a, parks.b].map((park) => `SOS of ${park}/300434030000001`);
  const subjects = async () =>
    (await others()).map(({ condition, subject }) =>
      condition === 'sos_not_stored' ? `SOS of ${subject.replace(/\/[0-9a-f]{12}$/, '')}` : subject,
    );
  t.deepEqual(await subjects(), [sosA, sosB, parks.a, parks.b]);
  for (const { text, remedy } of await others()) {
    t.regex(
      text,
      /^(Park [ab]: the last webhook request|SOS declared of .* of Park [ab], recorded at .*,) was answered 503, .*not here yet/,
    );
    t.regex(remedy, /^Call the park by telephone/);
  }
  await x.webhook(parks.a);
  t.deepEqual(await subjects(), [sosA, sosB, parks.b], 'a position of the park does not prove its SOS');
  for (const park of [parks.a, parks.b]) await x.webhook(park, { messageCode: 4 });
  t.deepEqual(await subjects(), [sosA, sosB], 'nor does another SOS of the device');
  for (const park of [parks.a, parks.b]) await x.webhook(park, sos);
  t.deepEqual(await others(), []);
});

test('a platform that is away is one line: the SOS that wait and the parks that were refused are told with it', async (t) => {
  const x = await startInstallation(t);
  await x.webhook(parks.a);
  x.say.sensors = unreachable;
  x.say.api = unreachable;
  await x.webhook(parks.a, { messageCode: 4 });
  await x.webhook(parks.b, { messageCode: 4 });
  await x.pass(40);
  const [line, ...rest] = listedProblems((await x.process.collect()).status.verdict.problems);
  t.deepEqual(rest, []);
  t.is(line?.condition, 'platform_unavailable');
  t.regex(line?.text ?? '', /SOS of 300434030000001 of Park a waits: run `ranger-relay sos --open`, and call the park/);
  t.regex(line?.text ?? '', /requests of bbbbbbbb-.* were refused, and what they held is not here yet/);
});
