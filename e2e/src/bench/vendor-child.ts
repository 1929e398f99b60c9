import { simulatorClock, startVendorInbound } from '@ranger-relay/simulators';

/** A vendor whose every answer takes this long. */
const [latencyMs = '0', devices = ''] = process.argv.slice(2);
const inbound = await startVendorInbound({
  host: '127.0.0.1',
  port: 0,
  clock: simulatorClock,
  username: 'ops',
  password: 'ops-password',
  devices: devices.split(','),
});
inbound.switches.set({ fault: 'slow', ms: Number(latencyMs) });
process.on('message', () => process.send?.(inbound.messages().length));
process.once('SIGTERM', () => void inbound.close().then(() => process.disconnect()));
process.send?.({ url: inbound.url });
