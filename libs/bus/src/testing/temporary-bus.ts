import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { topics as catalogue } from '@ranger-relay/contracts';
import { testContext } from '@ranger-relay/runtime/testing';
import type { Context } from '@ranger-relay/runtime';
import { openEmbeddedBus, type EmbeddedBus, type EmbeddedBusOptions } from '../embedded/open.ts';

/** What a test hands in: anything with a teardown, as AVA's `t`. */
export interface WithTeardown {
  teardown(end: () => void | Promise<void>): void;
}

/** Overrides of a temporary bus. */
export type TemporaryBusOptions = Partial<Omit<EmbeddedBusOptions, 'path'>> & { readonly context?: Context };

/** An embedded bus on a file of its own. */
export interface TemporaryBus {
  readonly bus: EmbeddedBus;
  readonly path: string;
  /** Closes this one and opens the same file again. */
  reopen(): Promise<TemporaryBus>;
  /** Another one on the same file that publishes and reads, as another process would. */
  beside(): Promise<TemporaryBus>;
  close(): Promise<void>;
}

/** Waits of consumers short enough for tests. */
export const quickRules = { throwBackoff: { baseMs: 1, maxMs: 5, jitterMs: 0 }, closeMs: 2_000 };

const openAt = async (t: WithTeardown, path: string, options: TemporaryBusOptions): Promise<TemporaryBus> => {
  const { context = testContext(), ...rest } = options;
  const { clock, random, log, metrics } = context;
  const topics = Object.values(catalogue);
  const bus = await openEmbeddedBus({ path, topics, clock, random, log, metrics, rules: quickRules, ...rest });
  t.teardown(() => bus.close());
  const close = (): Promise<void> => bus.close();
  return {
    bus,
    path,
    close,
    beside: () => openAt(t, path, { ...options, mode: 'look' }),
    async reopen() {
      await close();
      return openAt(t, path, options);
    },
  };
};

/** Opens a bus on a temporary file, removed when the test ends; the catalogue's topics unless others are given. */
export const temporaryBus = async (t: WithTeardown, options: TemporaryBusOptions = {}): Promise<TemporaryBus> => {
  const folder = await mkdtemp(join(tmpdir(), 'relay-bus-'));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  return openAt(t, join(folder, 'bus.sqlite'), options);
};
