import type { InboundOutcome } from '@ranger-relay/device';
import { RelayError } from '@ranger-relay/errors';
import test from 'ava';
import { outcomes } from '../test/outcomes.ts';
import { account, bodyOf, imeiA, type Script, harness, type Harness } from '../test/harness.ts';
import { accountPatienceMs } from './text-delivery.ts';

const another = { ...account, username: 'patrols' };
const away = (): never => {
  throw new RelayError('platform_unavailable', { details: { reason: 'test' } });
};
const unusable = new RelayError('http_address_refused', { details: { host: 'inbound', problem: 'it is private' } });
const notAllowed = (): InboundOutcome => ({
  kind: 'permanent',
  error: unusable,
  status: null,
  code: null,
  body: '',
  url: undefined,
});

/** What ends a text because of its account, with what the vendor makes of it. */
const ends: readonly (readonly [string, unknown, Script])[] = [
  ['a missing account', null, () => outcomes.accepted()],
  ['an address that may not be called', account, notAllowed],
  ['a device that the vendor does not know', account, () => outcomes.refused(4)],
  ['a sender that the vendor does not take', account, () => outcomes.refused(7)],
  ['a refusal that nobody has documented', account, () => outcomes.refused(99)],
];

const isWaiting = async (w: Harness, auth: unknown, currentAuth: () => Promise<unknown>): Promise<boolean> => {
  const result = await w.deliver([imeiA], { auth, currentAuth, receivedAt: w.clock.now() });
  return result.outcome === 'transient' && w.letters.length === 0 && w.entryOf(imeiA)?.state === 'pending';
};

for (const [what, auth, script] of ends) {
  test(`${what} gives up no text while the platform has another account by now, and that is used`, async (t) => {
    const w = harness();
    w.script = script;
    await w.clock.advance(accountPatienceMs);
    t.true(await isWaiting(w, auth, async () => another));
    w.script = () => outcomes.accepted();
    t.deepEqual(bodyOf(await w.deliver([imeiA], { auth: another })).accepted, [imeiA]);
  });

  test(`${what} gives up no text while the platform cannot be asked, for however long`, async (t) => {
    const w = harness();
    w.script = script;
    t.true(await isWaiting(w, auth, away));
    await w.clock.advance(2 * accountPatienceMs);
    t.true(await isWaiting(w, auth, away));
  });
}

for (const [what, auth, script] of ends.slice(0, 2))
  test(`${what} gives up a text after ten minutes, with the calls that were made`, async (t) => {
    const w = harness();
    w.script = script;
    t.true(await isWaiting(w, auth, async () => auth));
    await w.clock.advance(accountPatienceMs - 1);
    t.true(await isWaiting(w, auth, async () => auth));
    await w.clock.advance(1);
    const result = bodyOf(await w.deliver([imeiA], { auth }));
    t.is(result.failed.length, 1);
    t.like(w.letters[0]?.letter, { attempts: w.calls.length });
    t.is(w.letters.length, 1);
  });

test('a device that the vendor does not know is given up at once when the account is still the same', async (t) => {
  const w = harness();
  w.script = () => outcomes.refused(4);
  t.is((await w.deliver([imeiA])).outcome, 'failed');
  t.like(w.letters[0]?.letter, { attempts: 1 });
});

test('no account is asked for again because of a text that no account could send', async (t) => {
  const w = harness();
  w.script = () => outcomes.refused(5);
  t.is((await w.deliver([imeiA], { currentAuth: away })).outcome, 'failed');
});
