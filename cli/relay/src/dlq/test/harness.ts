import type { Bus } from '@ranger-relay/bus';
import { memoryBus } from '@ranger-relay/bus/testing';
import { topics, type DeadLetter, type SourceEvent } from '@ranger-relay/contracts';
import { epochKey, epochOf, type KeyValue } from '@ranger-relay/kv';
import { memoryKv } from '@ranger-relay/kv/testing';
import { createProgram, runProgram } from '@ranger-relay/terminal';
import { recordingShell, testAbout } from '@ranger-relay/terminal/testing';
import type { Sender } from '../../program/stores.ts';
import { dlqCommand } from '../command.ts';

export const integration = '2d0f1f3e-6f0b-4a53-9a61-0f3d4f1c2a01';

const base64 = (value: unknown): string =>
  Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64');

/** An event that holds a message alone, as a letter of a refused message keeps it. */
export const refusedEvent = (more: Partial<SourceEvent> = {}): SourceEvent => ({
  v: 1,
  integration_id: integration,
  event_id: 'e'.repeat(64),
  received_at: '2026-01-01T00:00:00.000Z',
  source: '300434030000001',
  kind: 'device',
  message_code: 3,
  sos: null,
  observation: null,
  message: {
    source: '300434030000001',
    sender: '300434030000001',
    recipients: [],
    text: 'Back at noon',
    recorded_at: '2026-01-01T00:00:00Z',
    additional: {},
  },
  ...more,
});

/** A dead letter; `body` is encoded. */
export const letter = ({
  body = refusedEvent(),
  ...more
}: Partial<DeadLetter> & { body?: unknown } = {}): DeadLetter => ({
  v: 1,
  id: 'letter-1',
  kind: 'message',
  integration_id: integration,
  reason: 'item_refused',
  detail: 'The platform refuses the message: text',
  received_at: '2026-01-01T00:00:00.000Z',
  failed_at: '2026-01-01T00:00:05.000Z',
  attempts: 1,
  origin: { topic: 'source-events', partition: 3, offset: '17' },
  headers: {},
  body_base64: base64(body),
  ...more,
});

/** A position of the vendor at second `n` of the day before the letter came. */
export const position = (n: number, more: Record<string, unknown> = {}) => ({
  imei: '300434030000001',
  messageCode: 3,
  freeText: `text ${n}`,
  timeStamp: Date.UTC(2025, 11, 31) + n * 1_000,
  point: { latitude: -1.25, longitude: 36.8, altitude: 1, gpsFix: 2, course: 0, speed: 0 },
  ...more,
});

/** A body of the vendor with these events. */
export const envelope = (...events: object[]): string => JSON.stringify({ Version: '3.0', Events: events });

/** A letter of a text to one device. */
export const textLetter = (more: Parameters<typeof letter>[0] = {}) =>
  letter({
    kind: 'push_message',
    reason: 'vendor_refused',
    headers: { traceparent: '00-abc' },
    body: {
      v: 1,
      attributes: { destination_id: integration, delivery_id: 'd1' },
      data: { event_id: 'e1', payload: { Message: 'Back at noon', Recipients: ['300434030000001'] } },
    },
    ...more,
  });
/** Where the ledger keeps that text. */
export const entryKey = `push.${integration}.d1.300434030000001`;
/** An entry of the ledger. */
export const entry = (state: string): string =>
  JSON.stringify({ state, updated_at: '2026-01-01T00:00:00.000Z', attempts: 1 });

/** A store that a command may close while the test goes on with it. */
const lent = <T extends Bus | KeyValue>(store: T): T => ({ ...store, close: async () => undefined });

/** A bus and a store on the shell's clock, with the commands on them. */
export const harness = () => {
  const shell = recordingShell();
  const bus = memoryBus(shell.clock);
  const kv = memoryKv(shell.clock);
  void kv.state.set(epochKey, epochOf(0));
  const state: { sender: Sender } = { sender: 'up' };
  const program = createProgram(shell, testAbout, [
    dlqCommand({
      shell,
      openStores: async () => ({ bus: lent(bus), kv: lent(kv) }),
      sender: () => state.sender,
    }),
  ]);

  return {
    shell,
    state,
    bus,
    kv,
    clock: shell.clock,
    store: (...letters: (DeadLetter | string)[]) =>
      bus.publish(
        topics.deadLetters.name,
        letters.map((value) => ({ key: 'origin', value: typeof value === 'string' ? value : JSON.stringify(value) })),
      ),
    /** Runs `dlq <args>`; what it printed replaces what was printed before. */
    async run(...args: string[]) {
      shell.lines.length = 0;
      shell.errors.length = 0;
      const code = await runProgram(shell, program, ['dlq', ...args]);
      return { code: shell.failed() ? 1 : code, out: shell.lines.join('\n'), err: shell.errors.join('\n') };
    },
    /** Records on `outbound-messages`. */
    async outbound(): Promise<{ key: string; value: unknown; headers: Readonly<Record<string, string>> }[]> {
      const found = [];
      for await (const { key, value, headers } of bus.read({ topic: topics.outboundMessages.name }))
        found.push({ key, headers, value: JSON.parse(Buffer.from(value).toString('utf8')) as unknown });
      return found;
    },
    /** Events on `source-events`, with their keys. */
    async events(): Promise<{ key: string; event: SourceEvent; headers: Readonly<Record<string, string>> }[]> {
      const found = [];
      for await (const { key, value, headers } of bus.read({ topic: topics.sourceEvents.name }))
        found.push({ key, headers, event: JSON.parse(Buffer.from(value).toString('utf8')) as SourceEvent });
      return found;
    },
  };
};
