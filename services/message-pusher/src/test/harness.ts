import { ActionFailure, type FailureFacts, failureText } from '@ranger-relay/actions';
import { deadLetterOf } from '@ranger-relay/bus';
import { activityLevel, type DeadLetter } from '@ranger-relay/contracts';
import type { InboundConfig, InboundOutcome, InboundText } from '@ranger-relay/device';
import { storeKey } from '@ranger-relay/kv';
import { createMetrics, metricList } from '@ranger-relay/runtime';
import {
  recordingLogger,
  recordingTracing,
  manualClock,
  seededRandom,
  testContext,
} from '@ranger-relay/runtime/testing';
import { readEntry, ledgerKey, type LedgerEntry } from '../ledger/entry.ts';
import { createLedger } from '../ledger/ledger.ts';
import type { PushDeps, PushInput } from '../push/dependencies.ts';
import { pushMessages } from '../push/push-messages.ts';
import type { PushBody } from '../push/result.ts';
import { createReplicaMutex } from '../push/keyed-mutex.ts';
import { memorySpace, type MemorySpace } from '@ranger-relay/kv/testing';
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

/** One entry of the activity log: those of the run itself, and `Failed` for the failure that it threw. */
export interface Entry {
  readonly kind: string;
  readonly payload: Readonly<Record<string, unknown>>;
}

/** How a delivery ended, and with what the runtime answers it. */
export type Delivered =
  | { readonly outcome: 'success'; readonly status: 200; readonly body: PushBody }
  | { readonly outcome: 'failed'; readonly status: 200; readonly body: PushBody; readonly facts: FailureFacts }
  | { readonly outcome: 'transient'; readonly status: 500; readonly error: string; readonly facts: FailureFacts };

/** What the runtime writes into the Failed event. */
const failedPayload = ({ message, facts }: ActionFailure): Entry['payload'] => {
  const { title = '', request, response } = facts;
  return {
    error: failureText({ title, message, status: response?.status }),
    request_verb: request?.verb,
    request_data: request?.data,
    server_response_status: response?.status,
    server_response_body: response?.body,
  };
};

const deliveredOf = async (run: Promise<PushBody>, told: (entry: Entry) => void): Promise<Delivered> => {
  try {
    return { outcome: 'success', status: 200, body: await run };
  } catch (error) {
    if (!(error instanceof ActionFailure)) throw error;
    const { facts } = error;
    const payload = failedPayload(error);
    told({ kind: 'Failed', payload });
    if (facts.transient) return { outcome: 'transient', status: 500, error: String(payload['error']), facts };
    return { outcome: 'failed', status: 200, body: facts.result as PushBody, facts };
  }
};

const minute = 60_000;

/** How the world is made. */
export interface HarnessOptions {
  readonly ambiguous?: 'resend' | 'hold';
  readonly clock?: ReturnType<typeof manualClock>;
  readonly state?: MemorySpace;
  readonly seed?: number;
}

/** A worker with a scripted vendor, a store in memory, and everything it says recorded. */
export const harness = ({ ambiguous = 'resend', clock = manualClock(), ...given }: HarnessOptions = {}) => {
  const state = given.state ?? memorySpace(clock);
  const random = seededRandom(given.seed ?? 1);
  const { log, lines } = recordingLogger();
  const calls: VendorCall[] = [];
  const entries: Entry[] = [];
  const { tracing, spans } = recordingTracing(clock);
  const metrics = createMetrics(metricList);
  const custom =
    (level: number) =>
    (title: string, data: Readonly<Record<string, unknown>> = {}): void =>
      void entries.push({ kind: 'CustomLog', payload: { title, level, data } });
  const letters: { key: string; letter: DeadLetter }[] = [];
  const settings = {
    idAttribute: 'delivery_id',
    timeoutMs: minute,
    maxAgeMs: 24 * 60 * minute,
  };
  const made = {
    script: (() => outcomes.accepted()) as Script,
    /** The time by which texts are too old. */
    theirTime: (): number | null => clock.now(),
    onLetter: (_letter: DeadLetter): void => undefined,
  };

  const time = (): number | null => made.theirTime();
  const deps: PushDeps = {
    clock,
    random,
    tracing,
    metrics,
    conditions: testContext({ clock }).conditions,
    settings,
    time,
    ledger: createLedger({
      state,
      clock,
      time,
      random,
      ambiguous,
      windowMs: minute + 5_000,
      maxAgeMs: settings.maxAgeMs,
    }),
    turns: createReplicaMutex(state, { clock, random }),
    inbound: {
      async sendText(config, text, recipient) {
        const call = { recipient, text, config, at: clock.now() };
        calls.push(call);
        return made.script(call);
      },
      pingback: () => Promise.reject(new Error('no push checks the account')),
    },
    deadLetters: {
      async write(facts, { key = '' } = {}) {
        const letter = deadLetterOf(facts, { now: clock.now(), random });
        made.onLetter(letter);
        letters.push({ key, letter });
      },
    },
  };

  const inputTo = (recipients: readonly unknown[], more: Partial<PushInput> = {}): PushInput => ({
    integrationId,
    auth: account,
    currentAuth: async () => ('auth' in more ? more.auth : account),
    attributes: { destination_id: integrationId, delivery_id: 'd1' },
    data: messageTo(recipients),
    messageId: 'm1',
    receivedAt: clock.now(),
    isRedelivered: false,
    origin: null,
    budgetMs: 540_000,
    feed: { info: custom(activityLevel.info), warning: custom(activityLevel.warning) },
    log,
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
    spans,
    metrics,
    deliver: (recipients: readonly unknown[], more?: Partial<PushInput>): Promise<Delivered> =>
      deliveredOf(pushMessages(inputTo(recipients, more), deps), (entry) => entries.push(entry)),
    /** Ends the turn that a process has, as when it was killed. */
    loseTurn: () => state.delete(storeKey('push-turn', integrationId)),
    /** The ledger's entry of a device. */
    entryOf: (recipient: string, deliveryId = 'd1'): LedgerEntry | null =>
      readEntry(state.entries.get(ledgerKey(integrationId, deliveryId, recipient))?.value ?? null),
    titles: () => entries.map(({ kind, payload }) => (kind === 'CustomLog' ? String(payload['title']) : kind)),
  });
};

export type Harness = ReturnType<typeof harness>;

/** Moves the clock on until the promise is settled. */
export const finish = async <T>(clock: Harness['clock'], running: Promise<T>, stepMs = 1_000): Promise<T> => {
  const progress = { open: true };
  const closed = running.finally(() => (progress.open = false));
  for (let steps = 0; progress.open && steps < 5_000; steps += 1) await clock.advance(stepMs);
  return closed;
};

/** The body of a run that ended. */
export const bodyOf = (result: Delivered): PushBody => {
  if (result.outcome !== 'transient') return result.body;
  throw new Error(`the run is to be repeated: ${result.error}`);
};
