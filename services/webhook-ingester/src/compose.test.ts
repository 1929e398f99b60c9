import { watchBusWrites } from '@ranger-relay/service';
import type { Bus } from '@ranger-relay/bus';
import { temporaryBus } from '@ranger-relay/bus/testing';
import { topics, type SourceEvent } from '@ranger-relay/contracts';
import test from 'ava';
import { compose } from './compose.ts';
import { body, text, wire } from './test/events.ts';
import { headersOf, start, harness } from './test/harness.ts';

const send = (port: number, content: string): Promise<Response> =>
  fetch(`http://127.0.0.1:${port}/webhooks`, { method: 'POST', headers: headersOf({}), body: content });

const valuesOf = async (bus: Bus, topic: string): Promise<unknown[]> => {
  const values: unknown[] = [];
  for await (const { value } of bus.read({ topic })) values.push(JSON.parse(Buffer.from(value).toString()));
  return values;
};

test('health and metrics are served beside the webhook', async (t) => {
  const w = harness(t);
  const port = await start(t, w);
  t.is((await send(port, body([wire()]))).status, 200);
  for (const path of ['livez', 'readyz']) t.is((await fetch(`http://127.0.0.1:${port}/${path}`)).status, 200);
  const metrics = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
  t.regex(metrics, /relay_webhook_requests_total\{status="200"\} 1/);
  t.regex(metrics, /relay_webhook_events_total\{outcome="observation"\} 1/);
});

test('without the bus the service is alive but not ready', async (t) => {
  const w = harness(t);
  const port = await start(t, w);
  w.bus.ready = () => false;
  t.is((await fetch(`http://127.0.0.1:${port}/readyz`)).status, 503);
  t.is((await fetch(`http://127.0.0.1:${port}/livez`)).status, 200);
});

const unusable = (names: readonly string[]) => names.map((topic) => ({ topic, problem: `${topic} is missing` }));

test('an ingester is ready while events can be written, whatever other topics lack', async (t) => {
  const w = harness(t);
  const port = await start(t, w);
  const readyz = () => fetch(`http://127.0.0.1:${port}/readyz`);
  const events = new Set<string>([topics.sourceEvents.name, topics.emergencies.name]);
  const others = Object.values(topics).flatMap(({ name }) => (events.has(name) ? [] : name));
  w.bus.topicProblems = () => unusable(others);
  t.is((await readyz()).status, 200);
  for (const name of events) {
    w.bus.topicProblems = () => unusable([name]);
    const answer = await readyz();
    t.is(answer.status, 503);
    t.regex(await answer.text(), new RegExp(`${name} is missing`));
  }
});

test('an ingester whose clock is wrong is not ready', async (t) => {
  const w = harness(t);
  const port = await start(t, w);
  const status = async () => (await fetch(`http://127.0.0.1:${port}/readyz`)).status;
  t.is(await status(), 200);
  w.clockGuard.problem = () => 'it is before the build date of this program';
  t.is(await status(), 503);
});

test('after the end nothing listens', async (t) => {
  const w = harness(t);
  const port = await start(t, w);
  await send(port, body([wire()]));
  const stopped = w.context.lifecycle.stop();
  await w.clock.advance(10_000);
  await stopped;
  await t.throwsAsync(send(port, body([wire()])));
});

test('a request under way at the end is answered', async (t) => {
  const w = harness(t);
  const port = await start(t, w);
  const reached = Promise.withResolvers<void>();
  const stored = Promise.withResolvers<void>();
  w.bus.before = () => {
    reached.resolve();
    return stored.promise;
  };
  const answer = send(port, body([wire()]));
  await reached.promise;
  const stopped = w.context.lifecycle.stop();
  await w.clock.advance(200);
  stored.resolve();
  t.is((await answer).status, 200);
  await w.clock.advance(10_000);
  await stopped;
});

test('a taken port stops the start with its variable’s name', async (t) => {
  const w = harness(t);
  const port = await start(t, w);
  const other = harness(t, { PORT: String(port) });
  await t.throwsAsync(compose(other.context, other.dependencies, other.config, 'INGESTER_PORT'), {
    message: new RegExp(`^INGESTER_PORT is ${port}`),
  });
});

test('what is acknowledged lies on the embedded bus, also after it was opened again', async (t) => {
  const w = harness(t);
  const temporary = await temporaryBus(t);
  const port = await start(t, {
    ...w,
    dependencies: { ...w.dependencies, bus: watchBusWrites(w.context, temporary.bus) },
  });
  const content = body([wire(), text('Back at noon'), wire({ imei: null })]);
  const answers = await Promise.all([send(port, content), send(port, content)]);
  t.deepEqual(
    answers.map(({ status }) => status),
    [200, 200],
  );
  const { bus } = await temporary.reopen();
  const events = (await valuesOf(bus, topics.sourceEvents.name)) as SourceEvent[];
  t.is(events.length, 4);
  t.is(new Set(events.map(({ event_id }) => event_id)).size, 2);
  t.is((await valuesOf(bus, topics.deadLetters.name)).length, 2);
});
