import type { Bus, BusRecord } from '@ranger-relay/bus';
import { sourceEventSchema, sourceEventKey, topics, type SourceEvent } from '@ranger-relay/contracts';
import type { KvSpace } from '@ranger-relay/kv';
import { eventKey, forwarderGroup } from '@ranger-relay/observation-forwarder';
import { type Clock, shareFlight } from '@ranger-relay/runtime';
import type { LetterHead } from '../dlq/letters.ts';
import type { SosCall } from './model.ts';

/** How long an accepted SOS is shown, ms. */
const shownMs = 3_600_000;
const maxCalls = 1_000;

type Call = Pick<SourceEvent, 'integration_id' | 'event_id' | 'source' | 'received_at'> & Pick<SosCall, 'state'>;

/** Index of emergencies; each update reads only new records. */
export interface SosCalls {
  /**
   * Waiting and refused ones, and those accepted within the last hour unless cancelled since; waiting ones first, then the newest.
   * @param letters live dead letters
   * @throws RelayError of bus or store
   */
  list(letters: readonly LetterHead[]): Promise<readonly SosCall[]>;
}

const read = ({ value }: BusRecord): Call | undefined => {
  try {
    const { data } = sourceEventSchema.safeParse(JSON.parse(Buffer.from(value).toString('utf8')));
    return data?.sos ? { ...data, state: data.sos } : undefined;
  } catch {
    return undefined;
  }
};

const urgency: Readonly<Record<SosCall['delivery'], number>> = { waiting: 0, refused: 1, accepted: 2 };

const byUrgency = (a: SosCall, b: SosCall): number =>
  urgency[a.delivery] - urgency[b.delivery] || Date.parse(b.received_at) - Date.parse(a.received_at);

const refusedCalls = (letters: readonly LetterHead[]): Map<string, SosCall> =>
  new Map(
    letters.flatMap(({ id, sos, integration_id: integration, received_at }) =>
      sos === null
        ? []
        : [
            [
              sos.event_id ?? id,
              {
                integration_id: integration ?? '',
                source: sos.source ?? '',
                state: sos.state,
                received_at,
                delivery: 'refused',
                dead_letter: id,
              },
            ],
          ],
    ),
  );

/** Makes the list of one installation. */
export const createSosCalls = (bus: Bus, state: KvSpace, clock: Clock): SosCalls => {
  const topic = topics.emergencies.name;
  const calls = new Map<string, Call>();
  const accepted = new Set<string>();
  const offsets = new Map<number, bigint>();

  const waitingDevices = async (): Promise<ReadonlySet<string>> =>
    new Set((await bus.pending(topic, forwarderGroup)).map(({ key }) => key));

  const readOn = shareFlight(async (): Promise<void> => {
    const waiting = await waitingDevices();
    for await (const record of bus.read({ topic, offsets: new Map(offsets) })) {
      offsets.set(record.partition, record.offset + 1n);
      const isOver = record.timestamp < clock.now() - shownMs && !waiting.has(record.key);
      const call = isOver ? undefined : read(record);
      if (call) calls.set(call.event_id, call);
    }
  });

  /** A mark means that the platform accepted it; where marks were lost, the committed offset decides. */
  const isAccepted = async (call: Call, waiting: ReadonlySet<string>): Promise<boolean> => {
    if (accepted.has(call.event_id)) return true;
    const done =
      !waiting.has(sourceEventKey(call.integration_id, call.source)) || (await state.get(eventKey(call))) === 'done';
    if (done) accepted.add(call.event_id);
    return done;
  };

  const forget = (id: string): void => {
    calls.delete(id);
    accepted.delete(id);
  };

  return {
    async list(letters) {
      await readOn();
      // Read after the records: a record without a key here is done.
      const waiting = await waitingDevices();
      const found = refusedCalls(letters);
      /** Time of cancellation, by device. */
      const cancelled = new Map<string, number>();
      const shown: (readonly [Call, boolean])[] = [];
      for (const call of calls.values()) {
        const taken = await isAccepted(call, waiting);
        if (taken && clock.now() - Date.parse(call.received_at) > shownMs) forget(call.event_id);
        else if (!found.has(call.event_id)) shown.push([call, taken]);
        const device = sourceEventKey(call.integration_id, call.source);
        if (taken && call.state === 'cancelled')
          cancelled.set(device, Math.max(cancelled.get(device) ?? 0, Date.parse(call.received_at)));
      }
      for (const [{ event_id: id, integration_id, source, state: sos, received_at }, taken] of shown) {
        const end = cancelled.get(sourceEventKey(integration_id, source)) ?? -Infinity;
        if (taken && Date.parse(received_at) <= end) continue;
        const delivery = taken ? 'accepted' : 'waiting';
        found.set(id, { integration_id, source, state: sos, received_at, delivery, dead_letter: null });
      }
      for (const id of calls.keys()) if (calls.size > maxCalls && accepted.has(id)) forget(id);
      return [...found.values()].sort(byUrgency);
    },
  };
};
