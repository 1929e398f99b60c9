import { type Bus, replayedLetter } from '@ranger-relay/bus';
import { sosStepOf, type SosStep, sourceEventSchema, topics } from '@ranger-relay/contracts';
import { isRelayError, jsonOf, type RelayError } from '@ranger-relay/errors';
import { forwarderGroup } from '@ranger-relay/observation-forwarder';
import type { Clock } from '@ranger-relay/runtime';
import { readSosStep } from '@ranger-relay/service';
import type { LetterHead, LetterIndex } from '../dlq/letters.ts';
import { sosCalls, type SosFact } from './calls.ts';
import type { SosCall } from './model.ts';

/** The list of SOS, and why a part of it may be missing. */
export interface SosList {
  /** Open ones first, then the newest. */
  readonly calls: readonly SosCall[];
  /** A topic cannot be read: without the log of SOS nothing counts as accepted, without `emergencies` as waiting, without the dead letters as refused. */
  readonly problem: RelayError | null;
}

const { name: topic, retentionMs } = topics.sosLog;

/** Receipt of the oldest SOS that is listed although nothing is left to do about it, ms since 1970. */
export const oldestShown = (clock: Pick<Clock, 'now'>): number => clock.now() - retentionMs;

/** The refusal of an SOS that a dead letter tells; undefined for a letter without one. */
export const refusalOf = (head: LetterHead): SosFact | undefined => {
  const { id, attempts, integration_id, received_at, failed_at: at, sos } = head;
  return sos === null
    ? undefined
    : {
        integration_id: integration_id ?? '',
        source: sos.source ?? '',
        event_id: sos.event_id ?? id,
        sos: sos.state,
        recorded_at: sos.recorded_at ?? received_at,
        received_at,
        at,
        parts: [...sos.parts],
        step: 'refused',
        dead_letter: { id, attempts },
      };
};

/** SOS events that the forwarder has not done. One whose commit is under way counts too: its acceptance is on the log. */
const waitingFacts = async (bus: Pick<Bus, 'pending' | 'read'>): Promise<SosFact[]> => {
  const facts: SosFact[] = [];
  const undone = { topic: topics.emergencies.name, from: `undone:${forwarderGroup}` } as const;
  for await (const { value, headers, timestamp } of bus.read(undone)) {
    const { data: event } = sourceEventSchema.safeParse(jsonOf(value));
    const letter = replayedLetter(headers);
    const fact = event && sosStepOf(event, timestamp, { step: 'stored', ...(letter ? { dead_letter: letter } : {}) });
    if (fact) facts.push({ ...fact, step: 'waiting' });
  }
  return facts;
};

/** The steps of the log, from its beginning each time: a position would be wrong in a topic that was made anew. */
const stepsOfLog = async (bus: Pick<Bus, 'read'>, oldest: number): Promise<SosStep[]> => {
  const steps: SosStep[] = [];
  for await (const { value } of bus.read({ topic })) {
    const step = readSosStep(value);
    if (step && Date.parse(step.at) >= oldest) steps.push(step);
  }
  return steps;
};

/** Reads the list of SOS of one installation. */
export const readSosList = async (
  bus: Pick<Bus, 'pending' | 'read'>,
  letters: Pick<LetterIndex, 'refusals'>,
  clock: Pick<Clock, 'now'>,
): Promise<SosList> => {
  const oldest = oldestShown(clock);
  let problem: RelayError | null = null;
  const tell = (error: unknown): [] => {
    if (!isRelayError(error)) throw error;
    problem ??= error;
    return [];
  };
  // Read before the log: what is committed in between is accepted there.
  const waiting = await waitingFacts(bus).catch(tell);
  const steps = await stepsOfLog(bus, oldest).catch(tell);
  const refusals = (await letters.refusals().catch(tell)).flatMap((head) => refusalOf(head) ?? []);
  const isShown = ({ events }: SosCall): boolean =>
    events.some(
      ({ received_at: at, delivery }) => Date.parse(at) >= oldest || delivery === 'waiting' || delivery === 'refused',
    );
  return { calls: sosCalls([...steps, ...refusals, ...waiting]).filter(isShown), problem };
};
