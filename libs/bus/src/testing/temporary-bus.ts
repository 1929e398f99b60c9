import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { type BusRight, topics as catalogue } from '@ranger-relay/contracts';
import type { Context, Logger } from '@ranger-relay/runtime';
import { silentLogger, testContext } from '@ranger-relay/runtime/testing';
import { type EmbeddedBus, type EmbeddedBusOptions, openEmbeddedBus } from '../embedded/open.ts';
import { setSettings } from '../kafka/admin/calls.ts';
import { type Cluster, createCluster } from '../kafka/client/cluster.ts';
import type { KafkaSettings } from '../kafka/client/settings.ts';

interface AclBroker {
  createAcls(request: { readonly acl: readonly object[] }): Promise<unknown>;
}

const resourceTypes = { topic: 2, group: 3 } as const;
const operations = { Read: 3, Delete: 6, Write: 4, Describe: 8, DescribeConfigs: 10 } as const;
const literal = 3;
const allow = 3;

/** Gives a user of the brokers exactly these rights beside what it has; `settings` must be those of one who may. */
export const grantRights = async (
  settings: KafkaSettings,
  user: string,
  rights: readonly BusRight[],
): Promise<void> => {
  const cluster = createCluster({ settings, log: silentLogger() });
  try {
    await cluster.connect();
    await cluster.refreshMetadata();
    const broker = (await cluster.findControllerBroker()) as unknown as AclBroker;
    const acl = rights.flatMap((right) =>
      right.operations.map((operation) => ({
        resourceType: resourceTypes[right.kind],
        resourceName: right.name,
        resourcePatternType: literal,
        principal: `User:${user}`,
        host: '*',
        operation: operations[operation],
        permissionType: allow,
      })),
    );
    await broker.createAcls({ acl });
  } finally {
    await cluster.disconnect().catch(() => undefined);
  }
};

/** Does the work of an administrator on a client of its own. */
const asAdministrator = async (
  settings: KafkaSettings,
  log: Logger,
  work: (cluster: Cluster) => Promise<unknown>,
): Promise<void> => {
  const cluster = createCluster({ settings, log });
  try {
    await cluster.connect();
    await cluster.refreshMetadata();
    await work(cluster);
  } finally {
    await cluster.disconnect();
  }
};

/** Sets settings of topics on the brokers, as an administrator might. */
export const setTopicSettings = (
  settings: KafkaSettings,
  topics: Readonly<Record<string, Readonly<Record<string, string>>>>,
  log: Logger,
): Promise<void> =>
  asAdministrator(settings, log, (cluster) =>
    setSettings(
      cluster,
      Object.entries(topics).map(([name, set]) => ({ topic: settings.prefix + name, set })),
    ),
  );

interface DeletingBroker {
  deleteTopics(request: { readonly topics: readonly string[] }): Promise<unknown>;
}

/** Deletes a topic with all its records on the brokers, as an administrator might. */
export const deleteTopic = (settings: KafkaSettings, topic: string, log: Logger): Promise<void> =>
  asAdministrator(settings, log, async (cluster) =>
    ((await cluster.findControllerBroker()) as unknown as DeletingBroker).deleteTopics({
      topics: [settings.prefix + topic],
    }),
  );

const killAfter = 200;

/** Runs a publisher's script, which prints what was acknowledged, and kills it with -9 after 200 lines. Answers all that it printed. */
export const publishUntilKilled = async (script: string, ...args: readonly string[]): Promise<readonly string[]> => {
  const child = spawn(process.execPath, ['--conditions=@ranger-relay/source', script, ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const acknowledged: string[] = [];
  for await (const line of createInterface(child.stdout)) {
    acknowledged.push(line);
    if (acknowledged.length === killAfter) child.kill('SIGKILL');
  }
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  return acknowledged;
};

/** A test context: anything with a teardown, like AVA's `t`. */
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
