import { RelayError } from '@ranger-relay/errors';
import { manualClock, seededRandom } from '@ranger-relay/runtime/testing';
import test from 'ava';
import { replayEntry } from '../push/replay.ts';
import { epochKey, epochOf } from '@ranger-relay/kv';
import { memorySpace } from '@ranger-relay/kv/testing';
import { entryTtlMs, type LedgerEntry, ledgerKey, readEntry } from './entry.ts';
import { type Claim, createLedger, createStoreRetry, type Ledger } from './ledger.ts';

const setUpRetry = () => {
  const clock = manualClock();
  const state = memorySpace(clock);
  return { clock, state, withStoreRetry: createStoreRetry(state, { clock, random: seededRandom(1) }) };
};

test('what works at once costs one try', async (t) => {
  const { state, withStoreRetry } = setUpRetry();
  t.is(await withStoreRetry(async (store) => (await store.get('a')) ?? 'none'), 'none');
  t.is(state.counts.get('get'), 1);
});

test('a store that comes back in time is waited for', async (t) => {
  const { clock, state, withStoreRetry } = setUpRetry();
  state.away = true;
  const running = withStoreRetry((store) => store.setIfAbsent('a', '1'));
  await clock.advance(5_000);
  state.away = false;
  await clock.advance(10_000);
  t.true(await running);
});

test('a store that stays away is asked five times within 30 s', async (t) => {
  const { clock, state, withStoreRetry } = setUpRetry();
  state.away = true;
  const running = withStoreRetry((store) => store.get('a'));
  await clock.advance(30_000);
  t.is(await running, undefined);
  t.is(state.counts.get('get'), 5);
});

test('after that each step asks once, and all tries are back with the store', async (t) => {
  const { clock, state, withStoreRetry } = setUpRetry();
  state.away = true;
  void withStoreRetry((store) => store.get('a'));
  await clock.advance(30_000);
  state.counts.clear();
  t.is(await withStoreRetry((store) => store.get('a')), undefined);
  t.is(state.counts.get('get'), 1);
  state.away = false;
  t.is(await withStoreRetry((store) => store.get('a')), null);
  state.away = true;
  state.counts.clear();
  void withStoreRetry((store) => store.get('a'));
  await clock.advance(30_000);
  t.is(state.counts.get('get'), 5);
});

test('an error that is not the store’s absence is not waited for', async (t) => {
  const { withStoreRetry } = setUpRetry();
  await t.throwsAsync(
    withStoreRetry(() => Promise.reject(new RelayError('internal'))),
    { instanceOf: RelayError },
  );
});

const key = ledgerKey('park', 'd1', '300434030000001');
const of = (delivery: string): string => ledgerKey('park', delivery, '2');
const answer = { status: 200, code: null };

const setUp = (ambiguous: 'resend' | 'hold' = 'resend') => {
  const clock = manualClock();
  const state = memorySpace(clock);
  const worker = (seed: number): Ledger =>
    createLedger({
      time: () => clock.now(),
      state,
      clock,
      random: seededRandom(seed),
      ambiguous,
      windowMs: 65_000,
      maxAgeMs: 86_400_000,
    });
  const stored = (of = key): LedgerEntry | null => readEntry(state.entries.get(of)?.value ?? null);
  return { clock, state, worker, stored };
};

const claimIn = async (ledger: Ledger): Promise<Claim> => {
  const claimed = await ledger.claim(key);
  if (claimed.kind !== 'send') throw new Error(`not to be sent: ${claimed.kind}`);
  return claimed.claim;
};

test('a text is noted when it is seen, for all devices together, and what is known is left', async (t) => {
  const { state, worker, stored } = setUp();
  const ledger = worker(1);
  await ledger.open([key, of('d1')], Date.UTC(2026, 0, 1), false);
  t.like(stored(), { state: 'pending', attempts: 0, owner: null });
  await ledger.settle(await claimIn(ledger), { kind: 'accepted', ...answer });
  await ledger.open([key], Date.UTC(2026, 0, 1), false);
  t.is(stored()?.state, 'accepted');
  t.is(state.entries.get(key)?.until, entryTtlMs);
});

test('what is known of a text outlives the seven days in which it may come again', async (t) => {
  const { clock, state, worker } = setUp();
  await worker(1).settle(await claimIn(worker(1)), { kind: 'accepted', ...answer });
  t.is(state.entries.get(key)?.until, clock.monotonic() + 691_200_000);
  await clock.advance((7 * 24 + 23) * 3_600_000);
  t.is((await worker(2).claim(key)).kind, 'done');
});

test('the age of a text counts from when it came, and never from the future', async (t) => {
  const { worker, stored } = setUp();
  const now = Date.UTC(2026, 0, 1);
  await worker(1).open([key], now - 3_600_000, false);
  t.is(stored()?.first_seen_at, '2025-12-31T23:00:00.000Z');
  await worker(1).open([of('later')], now + 3_600_000, false);
  t.is(stored(of('later'))?.first_seen_at, '2026-01-01T00:00:00.000Z');
});

test('the store says sending before the claim is given', async (t) => {
  const { worker, stored } = setUp();
  const claim = await claimIn(worker(1));
  t.like(stored(), { state: 'sending', attempts: 1, owner: claim.entry.owner });
});

test('of many workers at once one gets the text, the others are told that it is taken', async (t) => {
  const { worker, state } = setUp();
  state.latency = () => 0;
  const claims = await Promise.all([1, 2, 3, 4, 5].map((seed) => worker(seed).claim(key)));
  t.deepEqual(claims.map(({ kind }) => kind).sort(), ['busy', 'busy', 'busy', 'busy', 'send']);
});

test('a text in hand is another’s only after the window', async (t) => {
  const { clock, worker } = setUp();
  await claimIn(worker(1));
  await clock.advance(64_999);
  t.is((await worker(2).claim(key)).kind, 'busy');
  await clock.advance(1);
  t.is((await worker(2).claim(key)).kind, 'send');
});

test('who comes back too late does not undo what the next one wrote, unless the vendor took the text', async (t) => {
  const { clock, worker, stored } = setUp();
  const [first, second] = [worker(1), worker(2)];
  const late = await claimIn(first);
  await clock.advance(65_000);
  const claim = await claimIn(second);
  await first.settle(late, { kind: 'refused', status: 422, code: 4 });
  t.is(stored()?.owner, claim.entry.owner);
  await first.settle(late, { kind: 'accepted', ...answer });
  await second.settle(claim, { kind: 'ambiguous', status: 504, code: null });
  t.is(stored()?.state, 'accepted');
});

test('a claim whose answer was lost is found to be one’s own, and the text is not stuck', async (t) => {
  const { clock, state, worker, stored } = setUp();
  state.losesAnswers = true;
  const running = worker(1).claim(key);
  await clock.advance(0);
  state.losesAnswers = false;
  await clock.advance(10_000);
  t.is((await running).kind, 'send');
  t.like(stored(), { state: 'sending', attempts: 1 });
});

test('a claim that took too long to write is written anew before it is given', async (t) => {
  const { clock, state, worker, stored } = setUp();
  let slow = 2_000;
  state.latency = () => slow;
  const running = worker(1).claim(key);
  await clock.advance(9_000);
  slow = 0;
  await clock.advance(9_000);
  const claimed = await running;
  t.is(claimed.kind, 'send');
  t.like(stored(), { attempts: 1 });
  t.true(clock.now() - Date.parse(stored()?.updated_at ?? '') <= 18_000);
});

test('an entry that cannot be read does not stop a text', async (t) => {
  const { state, worker, stored } = setUp();
  await state.set(key, 'not an entry');
  await claimIn(worker(1));
  t.is(stored()?.state, 'sending');
});

test('without the store a text is sent unledgered, or with hold not at all', async (t) => {
  for (const [ambiguous, kind] of [
    ['resend', 'send'],
    ['hold', 'away'],
  ] as const) {
    const { clock, state, worker } = setUp(ambiguous);
    state.away = true;
    const running = worker(1).claim(key);
    await clock.advance(30_000);
    t.like(await running, kind === 'send' ? { kind, claim: { written: null } } : { kind });
  }
});

test('what this process saw accepted it never sends again, though the store was away or emptied, and it tells the store', async (t) => {
  const { clock, state, worker, stored } = setUp();
  const ledger = worker(1);
  const claim = await claimIn(ledger);
  state.away = true;
  const settling = ledger.settle(claim, { kind: 'accepted', ...answer });
  await clock.advance(30_000);
  await settling;
  t.is((await ledger.claim(key)).kind, 'done');
  state.away = false;
  t.is(stored()?.state, 'sending');
  t.is((await ledger.claim(key)).kind, 'done');
  t.is(stored()?.state, 'accepted');
  state.entries.clear();
  t.is((await ledger.claim(key)).kind, 'done');
  t.is(stored()?.state, 'accepted');
});

test('a settlement whose answer was lost is written once', async (t) => {
  const { clock, state, worker, stored } = setUp();
  const ledger = worker(1);
  const claim = await claimIn(ledger);
  state.losesAnswers = true;
  const settling = ledger.settle(claim, { kind: 'transient', status: 503, code: null });
  await clock.advance(0);
  state.losesAnswers = false;
  await clock.advance(10_000);
  await settling;
  t.is(stored()?.state, 'pending');
});

test('an outcome is written although the store was emptied in between', async (t) => {
  const { state, worker, stored } = setUp();
  const ledger = worker(1);
  const claim = await claimIn(ledger);
  state.entries.clear();
  await ledger.settle(claim, { kind: 'refused', status: 422, code: 4 });
  t.is(stored()?.state, 'failed');
});

test('a replay resets what failed or is held, and nothing else', async (t) => {
  for (const [event, after] of [
    [{ kind: 'refused', status: 422, code: 4 }, 'pending'],
    [{ kind: 'ambiguous', status: 504, code: null }, 'pending'],
    [{ kind: 'accepted', ...answer }, 'accepted'],
  ] as const) {
    const { worker, stored, state, clock } = setUp();
    const ledger = worker(1);
    await ledger.settle(await claimIn(ledger), event);
    t.is((await replayEntry(state, key, clock))?.state, after);
    t.is(stored()?.state, after);
  }
  const { worker, stored, state, clock } = setUp();
  t.is(await replayEntry(state, key, clock), null);
  await claimIn(worker(1));
  t.is((await replayEntry(state, key, clock))?.state, 'sending');
  t.is(stored()?.state, 'sending');
});

test('a replay does not pretend when the store is away', async (t) => {
  const { state, clock } = setUp();
  state.away = true;
  await t.throwsAsync(replayEntry(state, key, clock), { message: /key-value store/ });
});

test('that a text was accepted decides for no other destination', async (t) => {
  const { worker } = setUp();
  const claimed = await worker(1).claim(ledgerKey('mine', 'd1', 'r1'));
  if (claimed.kind !== 'send') return t.fail();
  await worker(1).settle(claimed.claim, { kind: 'accepted', status: 200, code: null });
  return t.is((await worker(2).claim(ledgerKey('others', 'd1', 'r1'))).kind, 'send');
});

test('a text whose entry the store has lost since may have been sent: hold leaves it to a person, resend sends it', async (t) => {
  for (const [ambiguous, kind] of [
    ['resend', 'send'],
    ['hold', 'held'],
  ] as const) {
    const { state, worker } = setUp(ambiguous);
    const ledger = worker(1);
    await ledger.open([key], 0, false);
    state.entries.clear();
    await ledger.open([key], 0, false);
    t.is((await ledger.claim(key)).kind, kind);
    // Another process knows it only by the platform's count of deliveries.
    state.entries.clear();
    const heir = worker(2);
    const opened = await heir.open([key], 0, true);
    t.is((await heir.claim(key, opened.get(key))).kind, kind);
  }
});

test('a text from before the memory of the store may have been sent by a process that is gone: hold leaves it to a person', async (t) => {
  for (const [ambiguous, old] of [
    ['resend', 'send'],
    ['hold', 'held'],
  ] as const) {
    const { state, worker } = setUp(ambiguous);
    await state.set(epochKey, epochOf(1_000));
    const claimed = async (delivery: string, since: number) => {
      const ledger = worker(since);
      const opened = await ledger.open([of(delivery)], since, false);
      return (await ledger.claim(of(delivery), opened.get(of(delivery)))).kind;
    };
    t.is(await claimed('old', 999), old);
    t.is(await claimed('new', 1_000), 'send');
  }
});

/** A ledger that found no store at the first delivery of a text; the store is back. */
const openedWithoutStore = async () => {
  const made = setUp('hold');
  const ledger = made.worker(1);
  made.state.away = true;
  const first = ledger.open([key], 0, false);
  await made.clock.advance(30_000);
  await first;
  made.state.away = false;
  return { ...made, ledger };
};

test('a text whose first delivery found no store was not sent: its redelivery is, but not in a process that knows less', async (t) => {
  const { state, worker, ledger } = await openedWithoutStore();
  const opened = await ledger.open([key], 0, true);
  t.is((await ledger.claim(key, opened.get(key))).kind, 'send');
  state.entries.clear();
  const other = worker(2);
  t.is((await other.claim(key, (await other.open([key], 0, true)).get(key))).kind, 'held');
});

test('a text that the store never had an entry of is sent, however often it comes', async (t) => {
  const { ledger } = await openedWithoutStore();
  await ledger.open([key], 0, false);
  t.is((await ledger.claim(key)).kind, 'send');
});
