import test from 'ava';
import { startCluster, type Cluster } from './harness/cluster.ts';
import { installFor } from './harness/installation.ts';
import { run } from './harness/product.ts';
import { stored } from './harness/traffic.ts';

const park = 'aaaaaaaa-0000-4000-8000-000000000001';
let here: Cluster;

interface Report {
  readonly ok: boolean;
  readonly checks: readonly { readonly name: string; readonly status: string; readonly detail: string }[];
  readonly event: { readonly event_id: string; readonly source: string };
}

/** An account at a vendor, so that `doctor` finds no problem; it is never called. */
const account = {
  configurations: { auth: { api_url: 'http://127.0.0.1:9', username: 'hut', password: 'CANARY-vendor' } },
};

test.before(async () => {
  here = await startCluster([park]);
  await here.platform.control('POST', `integrations/${park}`, account);
});
test.after.always(() => here?.remove());

const probe = async (...args: readonly string[]) => {
  const finished = await here.relay('probe', '--no-doctor', '--url', here.webhookUrl, '--output', 'json', ...args);
  const report = finished.stdout === '' ? null : (JSON.parse(finished.stdout) as Report);
  return {
    ...finished,
    report,
    of: (name: string) => report?.checks.find((check) => check.name === name)?.detail ?? '',
  };
};

test.serial(
  'the test event goes through webhook, Kafka and forwarder, arrives once, and is known for what it is',
  async (t) => {
    const { code, report, stderr } = await probe('--integration', park);
    t.is(code, 0, stderr);
    t.true(report?.ok);
    const lines = (await stored(here, park)).filter(({ item }) => item.source === 'ranger-relay-probe');
    t.is(lines.length, 1);
    t.like(lines[0], { kind: 'observation' });
    t.is(lines[0]?.item.additional['sos'], undefined);
    t.is((await here.relay('status')).code, 0);
  },
);

test.serial('the checks of the doctor are part of it, and show no secret', async (t) => {
  const args = ['--url', here.webhookUrl, '--integration', park, '--allow-single-copies'];
  const { code, stdout, stderr } = await here.relay('probe', ...args);
  t.is(code, 0, stdout + stderr);
  t.regex(stdout, /^ok +platform token/m);
  t.regex(stdout, /^ok +platform +accepted/m);
  for (const secret of [here.token, 'CANARY-vendor']) t.false(`${stdout}${stderr}`.includes(secret));
});

test.serial('an event that the platform refuses is told with its dead letter', async (t) => {
  const refusal = { fault: 'refuse_item', field: 'source', equals: 'ranger-relay-probe' };
  const fault = await here.platform.fault(refusal);
  const { code, of } = await probe('--integration', park);
  await here.platform.repair(fault);
  t.is(code, 1);
  t.regex(of('platform'), /refused the test event/);
});

test.serial(
  'while the platform is down the event waits on the bus, and that is told when the time is over',
  async (t) => {
    const fault = await here.platform.fault({ fault: 'status', status: 503, endpoint: 'sensors' });
    const { code, of } = await probe('--integration', park, '--deadline', '4s');
    t.is(code, 1);
    t.regex(of('platform'), /waits on the bus/);
    await here.platform.repair(fault);
    const { code: again } = await probe('--integration', park, '--deadline', '2m');
    t.is(again, 0);
  },
);

test.serial('without a forwarder the event waits on the bus', async (t) => {
  const [forwarder] = here.forwarders;
  await forwarder?.stop();
  const { code, of } = await probe('--integration', park, '--deadline', '3s');
  t.is(code, 1);
  t.regex(of('platform'), /waits on the bus/);
  await forwarder?.start();
  t.is((await probe('--integration', park)).code, 0);
});

test.serial('beside one process on one machine it works by its files', async (t) => {
  const machine = await installFor(t, [park]);
  await machine.platform.control('POST', `integrations/${park}`, account);
  await machine.up();
  const { code, stdout, stderr } = await run(['probe', '--url', machine.webhookUrl], machine.env);
  t.is(code, 0, stdout + stderr);
  t.regex(stdout, /^ok +platform +accepted/m);
});
