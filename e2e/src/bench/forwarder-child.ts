import { integrationOfKey, topics } from '@ranger-relay/contracts';
import { compose, parseForwarderConfig } from '@ranger-relay/observation-forwarder';
import { createSosLog } from '@ranger-relay/service';
import { ingestBody } from '@ranger-relay/webhook-ingester';
import { defaultSettings } from '@ranger-relay/device';
import { bodyOf } from './bodies.ts';
import { openGround } from './outside.ts';

/** The forwarder alone before a backlog: fills the bus, says so, and drains it when told. */
const [integration = '', devices = '2000', perDevice = '72'] = process.argv.slice(2);
const ground = await openGround('observation-forwarder');
const { context, bus, kv, platform } = ground;
const total = Number(devices) * Number(perDevice);

const group = 'observation-forwarder';

for (let n = 0; n < Number(perDevice); n += 24)
  for (let device = 0; device < Number(devices); device += 1)
    await ingestBody(
      { bus, sosLog: createSosLog({ bus, ...context }), ...context },
      {
        integrationId: integration,
        settings: defaultSettings,
        bytes: Buffer.from(bodyOf(device, n, Math.min(24, Number(perDevice) - n))),
        receivedAt: context.clock.now(),
        reference: context.clock.now(),
      },
    );
process.send?.({ total });

process.on('message', () => {
  void (async () => {
    const start = performance.now();
    await compose(
      context,
      { bus, kv, sensors: platform.sensors, activity: platform.activity },
      parseForwarderConfig({ PORT: '0', HOST: '127.0.0.1' }),
    );
    const left = async (): Promise<number> =>
      (await bus.pending(topics.sourceEvents.name, group))
        .filter(({ key }) => integrationOfKey(key) === integration)
        .reduce((sum, { count }) => sum + count, 0);
    while ((await left()) > 0) await context.clock.sleep(100);
    const seconds = (performance.now() - start) / 1000;
    process.send?.({ seconds, roundTrips: await ground.roundTrips() });
  })();
});
