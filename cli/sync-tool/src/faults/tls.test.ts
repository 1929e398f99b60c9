import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { writeContractSample } from '../bundle/sample/contract-sample.ts';
import { openTlsFront } from '../test/front.ts';
import { loopbackTls } from '@ranger-relay/runtime/testing';
import { openHarness } from '../test/harness.ts';

test('a site with a certificate of its own is refused without its authority, with what to do', async (t) => {
  const here = await openHarness(t, (folder) => writeContractSample(folder));
  const { code, json } = await here.sync('--site-endpoint', await openTlsFront(t, here.site), '--output', 'json');
  t.is(code, 1);
  t.is(json()['reason'], 'site_untrusted');
  t.regex(String(json()['message']), /--ca-file/);
  t.deepEqual(here.site.log.entries(), []);
});

test('with --ca-file the whole run works on it, also without the scheme', async (t) => {
  const here = await openHarness(t, (folder) => writeContractSample(folder));
  const ca = join(here.folder, 'ca.pem');
  writeFileSync(ca, loopbackTls.cert);
  const front = (await openTlsFront(t, here.site)).replace('https://', '');
  const { code, err } = await here.sync('--site-endpoint', front, '--ca-file', ca);
  t.is(code, 0, err);
  t.is(here.writes().length, 14);
});

for (const [name, content] of [
  ['is not there', undefined],
  ['holds no certificate', 'token: canary'],
] as const)
  test(`a --ca-file that ${name} ends the call before anything is sent`, async (t) => {
    const here = await openHarness(t, (folder) => writeContractSample(folder));
    const ca = join(here.folder, 'ca.pem');
    if (content !== undefined) writeFileSync(ca, content);
    const { code, err } = await here.sync('--ca-file', ca);
    t.is(code, 1);
    t.false(err.includes('canary'));
    t.deepEqual(here.site.log.entries(), []);
  });
