import type { Logger } from '@ranger-relay/runtime';
import { setSettings } from '../kafka/admin/calls.ts';
import { createCluster } from '../kafka/client/cluster.ts';
import type { KafkaSettings } from '../kafka/client/settings.ts';

/** Sets settings of topics on the brokers, as somebody else may have done. */
export const setTopicSettings = async (
  settings: KafkaSettings,
  topics: Readonly<Record<string, Readonly<Record<string, string>>>>,
  log: Logger,
): Promise<void> => {
  const cluster = createCluster({ settings, log });
  try {
    await cluster.connect();
    await cluster.refreshMetadata();
    await setSettings(
      cluster,
      Object.entries(topics).map(([name, set]) => ({ topic: settings.prefix + name, set })),
    );
  } finally {
    await cluster.disconnect();
  }
};
