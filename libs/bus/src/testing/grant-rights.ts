import type { BusRight } from '@ranger-relay/contracts';
import { silentLogger } from '@ranger-relay/runtime/testing';
import { createCluster } from '../kafka/client/cluster.ts';
import type { KafkaSettings } from '../kafka/client/settings.ts';

interface AclBroker {
  createAcls(request: { readonly acl: readonly object[] }): Promise<unknown>;
}

const resourceTypes = { topic: 2, group: 3 } as const;
const operations = { Read: 3, Delete: 6, Write: 4, Describe: 8 } as const;
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
