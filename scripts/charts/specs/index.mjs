import { rangerRelay } from './ranger-relay.mjs';
import { actionRunner, messagePusher, observationForwarder, webhookIngester } from './services.mjs';

/** Every chart that has values, by its folder. @type {Readonly<Record<string, import('../outputs.mjs').ChartSpec>>} */
export const charts = {
  'webhook-ingester': webhookIngester,
  'observation-forwarder': observationForwarder,
  'message-pusher': messagePusher,
  'action-runner': actionRunner,
  'ranger-relay': rangerRelay,
};
