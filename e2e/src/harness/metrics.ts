import type { Replica } from './cluster.ts';
import { until } from './until.ts';

/** Sum of a counter over its labels, as a service reports it. */
export const metric = async (url: string, name: string): Promise<number> => {
  const text = await (await fetch(`${url}/metrics`)).text();
  const values = text.split('\n').flatMap((line) => (line.startsWith(name) ? [Number(line.split(' ').at(-1))] : []));
  if (values.length === 0) throw new Error(`${name} is not told by ${url}`);
  return values.reduce((sum, value) => sum + value, 0);
};

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
