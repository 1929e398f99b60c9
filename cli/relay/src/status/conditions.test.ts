import { writeFileSync } from 'node:fs';
import { topics } from '@ranger-relay/contracts';
import { httpAnswer } from '@ranger-relay/http/testing';
import { type ConditionName, conditionList, conditionSpec, integrationOfCondition } from '@ranger-relay/runtime';
import { certificateOf2036, loopbackTls } from '@ranger-relay/runtime/testing';
import { dismissCondition, noteLost, watchCertificates } from '@ranger-relay/service';
import test, { type ExecutionContext } from 'ava';
import { openBus } from '../data-dir/open-bus.ts';
import { openKv } from '../data-dir/stores.ts';
import { runningCheck } from '../doctor/all-checks.ts';
import { watchHeldFiles } from '../up/held-files.ts';
import { partsOf } from './page/parts.ts';
import {
  type Scenario,
  device,
  sos,
  sosId,
  away,
  breakWrites,
  volume,
  failing,
  dropAllLetters,
  siteEvent,
  step,
  emergenciesFailing,
  lastWrite,
  lostFile,
} from './test/faults.ts';
import {
  accepted,
  type Installation,
  noRows,
  parks,
  push,
  run,
  startInstallation,
  unreachable,
} from './test/installation.ts';

/** Adding a condition is an entry of the list and one of these. */
const scenarios: Readonly<Record<ConditionName, (x: Installation) => Scenario>> = {
  bus_write_failing: emergenciesFailing(topics.emergencies.name, false),
  topic_write_failing(x) {
    let mend: (() => void) | undefined;
    const fault = () => {
      mend = breakWrites(x, topics.deadLetters.name);
      return x.webhook(parks.a, { imei: null });
    };
    const again = async () => (mend?.(), await x.webhook(parks.a, { imei: null }));
    return { subject: topics.deadLetters.name, fault, mend: again };
  },
  topic_unavailable(x) {
    const topic = topics.outboundMessages.name;
    const fault = async () => ((x.memory.topicProblems = () => [{ topic, problem: 'it does not exist' }]), x.pass(6));
    return { subject: topic, fault, mend: async () => void (x.memory.topicProblems = () => []) };
  },
  topic_limit_low(x) {
    const topic = topics.sourceEventsParked.name;
    const fault = async () => ((x.memory.lowLimits = () => [{ topic, takes: 1, allowed: 2 }]), x.pass(6));
    return { subject: topic, fault, mend: async () => void (x.memory.lowLimits = () => []) };
  },
  store_write_failing(x) {
    const { compareAndSet } = x.kv.state;
    return {
      subject: 'up',
      fault: async () => ((x.kv.state.compareAndSet = away), x.pass(16)),
      mend: async () => void (x.kv.state.compareAndSet = compareAndSet),
      within: 16,
    };
  },
  store_lost: (x) => lostFile(x, 'store_lost', (dir) => openKv(dir, x.process.base)),
  bus_lost: (x) =>
    lostFile(x, 'bus_lost', (dir) =>
      openBus(dir, { acceptEmptyBus: true, salvageBus: false, topics: [], context: x.process.base }),
    ),
  records_lost: (x) => ({
    subject: topics.sourceEvents.name,
    fault: () =>
      x.watch(async (base) => noteLost(base)({ topic: topics.sourceEvents.name, reason: 'recreated', records: 3 })),
    mend: () => dismissCondition(x.kv, { name: 'records_lost', subject: topics.sourceEvents.name }, x.clock.now()),
  }),
  service_gone: (x) => ({
    subject: 'webhook-ingester',
    fault: async () => (await lastWrite(x, 'webhook-ingester', 125_000), x.pass(2)),
    mend: () => lastWrite(x, 'webhook-ingester', 0),
  }),
  file_replaced(x) {
    let identity = '1:1';
    const fault = async () => {
      await x.watch((base) => watchHeldFiles(base, { vital: ['/data/bus.sqlite'], others: [] }, async () => identity));
      identity = '1:2';
      await x.pass(2);
    };
    return { subject: '', fault, mend: async () => void (identity = '1:1'), endsWithProcess: true };
  },
  volume_full: volume(10),
  volume_low: volume(90),
  clock_wrong(x) {
    const ahead = async () => ({ partitions: 1, newer: [x.clock.now() + 7_200_000] });
    const { lastRecords } = x.memory;
    return {
      subject: 'up',
      fault: async () => ((x.memory.lastRecords = ahead), x.pass(61)),
      mend: async () => void (x.memory.lastRecords = lastRecords),
      unready: ['webhook-ingester'],
    };
  },
  service_not_ready(x) {
    let well = false;
    const fault = async () => {
      await x.pass(6);
      x.process.contexts.get('message-pusher')?.health.addReadiness({ name: 'consumers joined', ok: () => well });
      await x.pass(6);
    };
    return {
      subject: 'message-pusher',
      fault,
      mend: async () => void (well = true),
      unready: ['message-pusher'],
    };
  },
  webhook_token_refused: (x) => ({
    subject: parks.b,
    fault: () => x.webhook(parks.b, sos, { authorization: 'Bearer wrong' }),
    mend: async () => (await x.pass(300), x.webhook(parks.b)),
  }),
  webhook_request_refused: (x) => ({
    subject: '',
    fault: () => x.webhook(''),
    mend: () => x.webhook(parks.a),
  }),
  webhook_failing: (x) => ({
    subject: parks.a,
    fault: () => x.webhook(parks.a, {}, { 'content-encoding': 'gzip' }),
    mend: () => x.webhook(parks.a),
  }),
  sos_not_stored: emergenciesFailing(`${parks.a}/${device}/${sosId}`, true),
  webhook_tokens_stale: (x) => ({
    subject: 'webhook-ingester',
    fault: async () => (x.writeTokens('{'), await x.pass(2), x.webhook(parks.a)),
    mend: async () => (x.writeTokens(), await x.pass(2), x.webhook(parks.a)),
  }),
  sos_dropped: (x) => ({
    subject: parks.closed,
    fault: () => x.webhook(parks.closed, sos),
    mend: async () => ((x.enabled.closed = true), await x.pass(70), x.webhook(parks.closed)),
  }),
  platform_unavailable: (x) => ({
    subject: "platform's sensors API",
    fault: async () => ((x.say.sensors = unreachable), await x.webhook(parks.a), x.pass(20)),
    mend: async () => void (x.say.sensors = accepted),
    within: 65,
  }),
  platform_credentials_refused(x) {
    const { token: given } = x.say;
    return {
      subject: '',
      fault: async () => ((x.say.token = () => httpAnswer(401, {})), await x.pass(70), x.webhook(parks.a)),
      mend: async () => void (x.say.token = given),
      within: 31,
    };
  },
  api_key_refused: (x) => ({
    subject: parks.a,
    fault: async () => ((x.say.sensors = failing(parks.a, 401)), await x.webhook(parks.a, sos), x.pass(2)),
    mend: async () => void (x.say.sensors = accepted),
  }),
  forwarding_failing: (x) => ({
    subject: parks.a,
    async fault() {
      x.say.sensors = failing(parks.a, 500);
      await x.webhook(parks.a);
      for (let second = 0; second < 20; second += 2) await Promise.all([x.webhook(parks.b), x.pass(2)]);
    },
    mend: async () => void (x.say.sensors = accepted),
    within: 70,
  }),
  site_events_failing: (x) => ({
    subject: parks.site,
    fault: async () => ((x.say.sensors = failing(parks.site, 500)), await siteEvent(x), x.pass(5)),
    mend: async () => void (x.say.sensors = accepted),
    within: 40,
  }),
  refusals_held: (x) => ({
    subject: parks.a,
    async fault() {
      x.say.sensors = failing(parks.a, 400);
      for (let n = 0; n < 25; n += 1) await x.webhook(parks.a);
      await x.pass(30);
    },
    mend: async () => void (x.say.sensors = accepted),
    within: 400,
  }),
  sos_waiting: (x) => ({
    subject: `${parks.a}/${device}`,
    fault: async () => ((x.say.sensors = unreachable), await x.webhook(parks.a, sos), x.pass(12)),
    mend: async () => void (x.say.sensors = accepted),
  }),
  sos_refused: (x) => ({
    subject: `${parks.a}/${device}`,
    fault: async () => ((x.say.sensors = failing(parks.a, 400)), await x.webhook(parks.a, sos), x.pass(5)),
    mend: () => dropAllLetters(x),
  }),
  sos_not_known: (x) => ({
    subject: `${parks.a}/${device}`,
    fault: async () => (await step(x, 'stored'), x.pass(2)),
    mend: () => step(x, 'accepted'),
  }),
  events_waiting: (x) => ({
    subject: parks.a,
    fault: async () => ((x.say.sensors = unreachable), await x.webhook(parks.a), x.pass(75)),
    mend: async () => void (x.say.sensors = accepted),
    within: 70,
  }),
  texts_undecided: (x) => ({
    subject: '',
    fault: async () => ((x.say.vendor = () => httpAnswer(503)), await push(x), x.pass(310)),
    mend: async () => ((x.say.vendor = () => httpAnswer(200, { count: 1 })), push(x)),
  }),
  dead_letters: (x) => ({
    subject: '',
    fault: async () => (await x.webhook(parks.a, { imei: null }), x.pass(2)),
    mend: () => dropAllLetters(x),
  }),
  action_failing: (x) => ({
    subject: `${parks.site}/pull_events`,
    fault: async () => ((x.say.site = () => httpAnswer(403, {})), run(x, 'pull_events')),
    mend: async () => ((x.say.site = noRows), run(x, 'pull_events')),
  }),
  integrations_unlisted: (x) => ({
    subject: '',
    async fault() {
      x.listed.site = true;
      await x.pass(61);
      x.listed.site = false;
      await x.pass(660);
    },
    mend: async () => void (x.listed.site = true),
    within: 665,
    endsWithProcess: true,
  }),
  vendor_credentials_refused: (x) => ({
    subject: parks.a,
    fault: async () => ((x.say.vendor = () => httpAnswer(403)), await push(x), x.pass(2)),
    mend: async () => ((x.say.vendor = () => httpAnswer(200, { count: 1 })), push(x)),
  }),
  site_credentials_refused: (x) => ({
    subject: parks.site,
    fault: async () => ((x.say.site = () => httpAnswer(401, {})), run(x, 'pull_events')),
    mend: async () => ((x.say.site = noRows), run(x, 'pull_events')),
  }),
  certificate_expiring(x) {
    const file = x.fileOf('tls.crt');
    writeFileSync(file, certificateOf2036);
    const watch = () =>
      x.watch((base) => watchCertificates(base, { KAFKA_TLS_CERT_FILE: file }, ['KAFKA_TLS_CERT_FILE']));
    return {
      subject: 'KAFKA_TLS_CERT_FILE',
      fault: async () => (
        await watch(),
        x.clock.jump(Date.UTC(2036, 10, 14) - x.clock.now()),
        await x.process.metrics.render()
      ),
      mend: async () => (writeFileSync(file, loopbackTls.cert), await x.process.metrics.render()),
    };
  },
};

const problemOf = async (x: Installation, name: ConditionName, subject: string) => {
  const { status } = await x.process.collect();
  return status.verdict.problems.find((problem) => problem.condition === name && problem.subject === subject);
};

const gaugeOf = async (x: Installation, name: ConditionName): Promise<number> =>
  Number(
    new RegExp(`^relay_active_conditions\\{condition="${name}",.*\\} (\\d+)$`, 'm').exec(
      await x.process.metrics.render(),
    )?.[1],
  );

/** Status, page, doctor, metrics, log and readiness. */
const seenEverywhere = async (t: ExecutionContext, x: Installation, name: ConditionName, scenario: Scenario) => {
  const overview = await x.process.collect();
  const { verdict } = overview.status;
  const problem = await problemOf(x, name, scenario.subject);
  if (!problem) return t.fail(`${name} ${scenario.subject} is not in ${JSON.stringify(verdict.problems)}`);
  t.not(verdict.level, 'ok');
  t.notRegex(problem.text, /undefined|unknown reason|NaN/);
  t.regex(problem.remedy, /\.$/);
  const view = { overview, activity: [], simulated: undefined, now: x.clock.now(), settings: [] };
  const flow = { posts: 0, stored: 0, duplicates: 0 };
  const page = String(await partsOf({ ...view, flow } as unknown as Parameters<typeof partsOf>[0]));
  // What follows from another fault is told with it.
  const shown = verdict.problems.find(({ condition }) => condition === problem.follows_from) ?? problem;
  const told = problem.follows_from === null ? '' : '; follows from it: ';
  t.true(page.includes(shown.remedy.slice(0, 12)) && page.includes(told), 'on the page');
  const findings = await runningCheck(false, async () => ({ verdict, dataDir: '/data' })).ask(
    new AbortController().signal,
  );
  t.true(
    findings.some(({ detail }) => detail === shown.text && detail.includes(told)),
    'in doctor',
  );
  t.true((await gaugeOf(x, name)) >= 1, 'in the metrics');
  t.true(
    x.lines.some(({ condition, remedy }) => condition === shown.condition && remedy === shown.remedy),
    'in the log',
  );
  for (const service of scenario.unready ?? [])
    t.false(x.process.contexts.get(service)?.health.ready().ok, `${service} is out of service`);
};

/** Entries of the activity log about a condition. */
const entriesOf = async (x: Installation, name: ConditionName, integration: string): Promise<number> => {
  let found = 0;
  for await (const { value } of x.process.bus.read({ topic: topics.integrationEvents.name })) {
    const { payload } = JSON.parse(Buffer.from(value).toString()) as { payload: Record<string, never> };
    const data: Record<string, unknown> = payload['data'] ?? {};
    if (payload['integration_id'] === integration && data['condition'] === name) found += 1;
  }
  return found;
};

for (const name of Object.keys(conditionList) as ConditionName[])
  test(`${name} is set by its fault, seen in all places, holds without traffic and over a restart, and ends with its cause`, async (t) => {
    const x = await startInstallation(t);
    const scenario = scenarios[name](x);
    t.is(await problemOf(x, name, scenario.subject), undefined);
    await scenario.fault();
    await seenEverywhere(t, x, name, scenario);
    await x.pass(70);
    await seenEverywhere(t, x, name, scenario);
    const integration = integrationOfCondition(name, scenario.subject);
    if (integration !== null && conditionSpec(name).subject !== 'action')
      t.is(await entriesOf(x, name, integration), 1, 'in the activity log');
    const { count } = x.process.conditions.find(name, scenario.subject) ?? {};
    if (conditionSpec(name).subject !== 'process' && !scenario.endsWithProcess) {
      await x.restart();
      await x.pass(2);
      await seenEverywhere(t, x, name, { ...scenario, unready: [] });
      t.true((x.process.conditions.find(name, scenario.subject)?.count ?? 0) >= (count ?? 1), 'it is the same one');
      await x.pass(70);
      await seenEverywhere(t, x, name, scenario);
    }
    await scenario.mend();
    await x.pass(scenario.within ?? 15);
    t.is(await problemOf(x, name, scenario.subject), undefined, 'gone');
    t.is(await gaugeOf(x, name), 0);
  });
