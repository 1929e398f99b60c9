import type { LineState } from './feed.ts';
import { startLine, type Line, type Misbehaviour, type VendorOptions } from './line.ts';

/** The vendor's outbound feed to one customer (device contract, section 1). */
export interface Vendor {
  /** Accepts events; groups them into POSTs in this order and retries until acknowledged, expired or suspended. */
  send(events: readonly unknown[]): void;
  /** Misbehaves at the next `count` occasions. */
  misbehave(kind: Misbehaviour, count?: number): void;
  /** The worst of the lines' states. */
  state(): LineState;
  /** Ends pauses and suspensions at once, as the vendor's support does on request. */
  resume(): void;
  /** Events not acknowledged yet. */
  waiting(): number;
  /** Resolves when nothing waits. */
  idle(): Promise<void>;
  close(): Promise<void>;
}

const badness: Readonly<Record<LineState, number>> = { active: 0, paused: 1, suspended: 2 };

const deviceOf = (event: unknown): string =>
  typeof event === 'object' && event !== null ? String(Reflect.get(event, 'imei')) : '';

const spread = (device: string, lines: number): number => {
  let sum = 0;
  for (const char of device) sum = (sum * 31 + char.charCodeAt(0)) >>> 0;
  return sum % lines;
};

const createOccasions = () => {
  const left = new Map<Misbehaviour, number>();
  return {
    add: (kind: Misbehaviour, count: number) => void left.set(kind, (left.get(kind) ?? 0) + count),
    take(kind: Misbehaviour): boolean {
      const count = left.get(kind) ?? 0;
      if (count > 0) left.set(kind, count - 1);
      return count > 0;
    },
  };
};

/** Starts a vendor; what its state file holds is sent first. */
export const createVendor = (options: VendorOptions): Vendor => {
  const { connections = 1, clock } = options;
  const occasions = createOccasions();
  let waiters: (() => void)[] = [];
  const waiting = (): number => lines.reduce((sum, line) => sum + line.size, 0);
  const onEmpty = (): void => {
    if (waiters.length === 0 || waiting() > 0) return;
    for (const resolve of waiters) resolve();
    waiters = [];
  };
  const lines: Line[] = [];
  for (let number = 0; number < connections; number += 1) {
    const stateFile = options.stateFile === undefined ? undefined : `${options.stateFile}.${number}`;
    lines.push(startLine({ options, stateFile, take: occasions.take, onEmpty }));
  }

  return {
    waiting,
    misbehave: (kind, count = 1) => occasions.add(kind, count),
    send(events) {
      const at = clock.now();
      const groups = Map.groupBy(events, (event) => spread(deviceOf(event), connections));
      for (const [number, group] of groups) lines[number]?.put(group.map((event) => ({ at, event })));
    },
    state: () => lines.map((line) => line.state()).reduce((a, b) => (badness[b] > badness[a] ? b : a)),
    resume() {
      for (const line of lines) line.resume();
    },
    idle: () => (waiting() === 0 ? Promise.resolve() : new Promise((resolve) => waiters.push(resolve))),
    async close() {
      await Promise.all(lines.map((line) => line.close()));
    },
  };
};
