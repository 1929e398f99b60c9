import type { Replica } from './cluster.ts';
import { until } from './until.ts';

const acceptedBy = async ({ url }: Replica): Promise<number> => {
  const text = await (await fetch(`${url}/metrics`)).text();
  return Number(/^relay_events_accepted_total\{kind="observation"\} (\d+)$/m.exec(text)?.[1] ?? 0);
};

/** Waits until a forwarder has sent so many more observations: it has a share of the work. */
export const untilWorking = async (forwarder: Replica, observations = 20): Promise<void> => {
  const before = await acceptedBy(forwarder);
  const worked = async (): Promise<boolean> => (await acceptedBy(forwarder)) >= before + observations;
  await until('a forwarder has a share of the work', worked);
};
