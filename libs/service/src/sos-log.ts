import type { Bus } from '@ranger-relay/bus';
import { sosStepSchema, sourceEventKey, topics, type SosStep } from '@ranger-relay/contracts';
import { BoundedMap, type Context, endsWithin } from '@ranger-relay/runtime';

/** Writes what became of SOS events to the topic of SOS steps. */
export interface SosLog {
  /**
   * Resolves when the steps are durable, and after a short wait in any case, or at once while the topic cannot be written: a log that cannot be written delays no SOS. Steps that are not
   * written are retried until they are, as long as the process runs. Never rejects.
   */
  write(steps: readonly (SosStep | undefined)[]): Promise<void>;
}

const deadlineMs = 4_000;
const retryMs = 10_000;
/** Maximum number of steps to retry; the oldest are dropped. */
const limit = 10_000;

const { name: topic } = topics.sosLog;

/** Dependencies of the log. */
interface SosLogDependencies extends Pick<Context, 'clock'> {
  /** Its condition tells when the topic cannot be written. */
  readonly bus: Pick<Bus, 'publish'>;
  /** How long a caller waits at most, ms; default 500. */
  readonly maxWaitMs?: number;
}

/** Creates the log of one process. */
export const createSosLog = ({ bus, clock, maxWaitMs = 500 }: SosLogDependencies): SosLog => {
  const unwritten = new BoundedMap<SosStep>(limit);
  let count = 0;
  let failing = false;
  let retries = false;

  const store = async (entries: readonly (readonly [string, SosStep])[]): Promise<void> => {
    const records = entries.map(([, step]) => ({
      key: sourceEventKey(step.integration_id, step.source),
      value: JSON.stringify(step),
    }));
    try {
      await bus.publish(topic, records, { deadlineMs });
      for (const [key] of entries) unwritten.delete(key);
      failing = false;
    } catch {
      failing = true;
      retryLater();
    }
  };

  const retryLater = (): void => {
    if (retries) return;
    retries = true;
    clock.after(retryMs, () => {
      retries = false;
      void store([...unwritten]);
    });
  };

  return {
    async write(steps) {
      const entries = steps.flatMap((step) => (step ? [[String((count += 1)), step] as const] : []));
      if (entries.length === 0) return;
      for (const [key, step] of entries) unwritten.set(key, step);
      const stored = store(entries);
      if (!failing) await endsWithin({ clock, ms: maxWaitMs, ref: true }, stored);
    },
  };
};

/** The step in a record of the topic; undefined when this version cannot read it. */
export const readSosStep = (value: Uint8Array): SosStep | undefined => {
  try {
    return sosStepSchema.safeParse(JSON.parse(Buffer.from(value).toString('utf8'))).data;
  } catch {
    return undefined;
  }
};
