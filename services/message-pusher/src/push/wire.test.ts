import { mockServer } from '@ranger-relay/http/testing';
import test, { type ExecutionContext } from 'ava';
import { auth } from '../handlers.ts';
import { bodyOf, imeiA, imeiB } from '../test/harness.ts';
import { endings, wiredHarness, type Ending } from '../test/vendor.ts';

const wired = (t: ExecutionContext, plan: Ending[]) => wiredHarness(t, plan, {}, mockServer);

test('a text goes over the wire once for each device', async (t) => {
  const { vendor, deliver } = await wired(t, []);
  t.is((await deliver(imeiA, imeiB)).status, 200);
  await deliver(imeiA, imeiB);
  t.deepEqual(vendor.texts, [imeiA, imeiB]);
});

test('the vendor’s words reach the answer and the activity log', async (t) => {
  const { w, deliver } = await wired(t, [endings.refuse]);
  const [failed] = bodyOf(await deliver(imeiA)).failed;
  t.is(failed?.code, 4);
  t.regex(
    failed?.error ?? '',
    /^Bad response — .*: code 4 \(unknown device\): Unknown: not in this account; POST .* \(HTTP 422\)$/,
  );
  t.like(w.entries[0]?.payload, { request_verb: 'POST', server_response_status: 422 });
});

test('a gateway’s page is 500 and tried again', async (t) => {
  const { deliver } = await wired(t, [endings.portal]);
  t.is((await deliver(imeiA)).status, 500);
  t.is((await deliver(imeiA)).status, 200);
});

test('a Retry-After of the wire is waited for inside the run', async (t) => {
  const { w, vendor, deliver } = await wired(t, [endings.throttle]);
  let asked = 0;
  const { sleep } = w.clock;
  w.clock.sleep = (ms, signal) => {
    asked = ms;
    const sleeping = sleep(ms, signal);
    void w.clock.advance(ms);
    return sleeping;
  };
  t.is((await deliver(imeiA)).status, 200);
  t.deepEqual([asked, vendor.texts.length], [1_000, 2]);
});

test('the credential check is a pingback', async (t) => {
  const { vendor, inbound, config } = await wired(t, [endings.accept, endings.portal]);
  t.deepEqual(await auth(config, inbound), { valid_credentials: true });
  const broken = await auth(config, inbound);
  t.regex('error' in broken ? broken.error : '', /^Connection failed: .*PingbackRequest answered 502$/);
  t.deepEqual(vendor.texts, ['pingback', 'pingback']);
});
