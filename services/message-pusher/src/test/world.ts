import type { DeadLetter } from '@ranger-relay/contracts';
import type { InboundConfig, InboundOutcome, InboundText } from '@ranger-relay/device';
import { recordingLogger, manualClock, seededRandom } from '@ranger-relay/runtime/testing';
import { readEntry, ledgerKey, type LedgerEntry } from '../ledger/entry.ts';
import { createLedger } from '../ledger/ledger.ts';
import type { PushDeps, PushInput } from '../push/parts.ts';
import { pushMessages } from '../push/push-messages.ts';
import type { PushBody, PushResult } from '../push/result.ts';
import { createTurns } from '../push/turns.ts';
import { memorySpace, type MemorySpace } from './memory-kv.ts';
import { outcomes } from './outcomes.ts';

export const integrationId = '11111111-1111-4111-8111-111111111111';
export const [imeiA, imeiB, imeiC] = ['300434030000001', '300434030000002', '300434030000003'] as const;
export const textCanary = 'Meet at the c4n4ry gate';
export const account = { api_url: 'inbound.vendor.example', username: 'fieldteam', password: 'c4n4ry-p4ss' };

/** One call of the vendor. */
export interface VendorCall {
  readonly recipient: string;
  readonly text: InboundText;
  readonly config: InboundConfig;
  /** ms since 1970. */
  readonly at: number;
}

/** What the vendor makes of a call. */
export type Script = (call: VendorCall) => InboundOutcome | Promise<InboundOutcome>;

/** Data of a transformed message. */
export const messageTo = (recipients: readonly unknown[], payload: Readonly<Record<string, unknown>> = {}) => ({
  event_id: 'event-1',
  timestamp: '2026-01-01T00:00:00Z',
  schema_version: 'v1',
  event_type: 'MessageTransformedInReach',
  payload: {
    Message: textCanary,
    Recipients: recipients,
    Sender: 'ops@site.org',
    Timestamp: '2025-06-04 13:35:10+03:00',
    ...payload,
  },
});

/** One entry of the activity log. */
export interface Entry {
  readonly kind: string;
  readonly payload: Readonly<Record<string, unknown>>;
}

const minute = 60_000;

/** How the world is made. */
export interface WorldOptions {
  readonly ambiguous?: 'resend' | 'hold';
  readonly clock?: ReturnType<typeof manualClock>;
  readonly state?: MemorySpace;
  readonly seed?: number;
}

/** A worker with a scripted vendor, a store in memory, and everything it says recorded. */
export const world = ({ ambiguous = 'resend', clock = manualClock(), ...given }: WorldOptions = {}) => {
  const state = given.state ?? memorySpace(clock);
  const random = seededRandom(given.seed ?? 1);
  const { log, lines } = recordingLogger();
  const calls: VendorCall[] = [];
  const entries: Entry[] = [];
  const letters: { key: string; letter: DeadLetter }[] = [];
  const settings = {
    eventType: 'MessageTransformed*',
    idAttribute: 'delivery_id',
    timeoutMs: minute,
    maxAgeMs: 24 * 60 * minute,
  };
  const made = {
    script: (() => outcomes.accepted()) as Script,
    onLetter: (_letter: DeadLetter): void => undefined,
    onEntry: (_entry: Entry): void => undefined,
  };

  const deps: PushDeps = {
    clock,
    random,
    log,
    settings,
    ledger: createLedger({ state, clock, random, ambiguous, windowMs: minute + 5_000, maxAgeMs: settings.maxAgeMs }),
    turns: createTurns(clock),
    inbound: {
      async sendText(config, text, recipient) {
        const call = { recipient, text, config, at: clock.now() };
        calls.push(call);
        return made.script(call);
      },
    },
    activity: {
      action(kind, _id, _action, payload) {
        made.onEntry({ kind, payload });
        entries.push({ kind, payload });
      },
    },
    async publishDeadLetter(key, letter) {
      made.onLetter(letter);
      letters.push({ key, letter });
    },
  };

  const inputTo = (recipients: readonly unknown[], more: Partial<PushInput> = {}): PushInput => ({
    integrationId,
    enabled: true,
    auth: account,
    attributes: { destination_id: integrationId, delivery_id: 'd1' },
    data: messageTo(recipients),
    messageId: 'm1',
    receivedAt: clock.now(),
    origin: null,
    budgetMs: 540_000,
    ...more,
  });

  return Object.assign(made, {
    clock,
    state,
    deps,
    calls,
    entries,
    letters,
    lines,
    inputTo,
    /** Devices that were called, in order. */
    called: () => calls.map(({ recipient }) => recipient),
    deliver: (recipients: readonly unknown[], more?: Partial<PushInput>): Promise<PushResult> =>
      pushMessages(inputTo(recipients, more), deps),
    /** The ledger's entry of a device. */
    entryOf: (recipient: string, deliveryId = 'd1'): LedgerEntry | null =>
      readEntry(state.entries.get(ledgerKey(deliveryId, recipient))?.value ?? null),
    titles: () => entries.map(({ kind, payload }) => (kind === 'CustomLog' ? String(payload['title']) : kind)),
  });
};

export type World = ReturnType<typeof world>;

/** Moves the clock on until the promise is settled. */
export const finish = async <T>(clock: World['clock'], running: Promise<T>, stepMs = 1_000): Promise<T> => {
  const progress = { open: true };
  const closed = running.finally(() => (progress.open = false));
  for (let steps = 0; progress.open && steps < 5_000; steps += 1) await clock.advance(stepMs);
  return closed;
};

/** The body of a run that ended. */
export const bodyOf = (result: PushResult): PushBody => {
  if (result.outcome === 'success' || result.outcome === 'failed') return result.body;
  throw new Error(`the run ended as ${result.outcome}`);
};
