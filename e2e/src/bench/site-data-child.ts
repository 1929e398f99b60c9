import { freshSite } from '@ranger-relay/simulators';

/** A site with so many observations of one source, spread over so many days. */
const [count = '0', days = '1'] = process.argv.slice(2);
const source = '5a000000-0000-4000-8000-000000000001';
const start = Date.UTC(2026, 0, 1);
const site = await freshSite({
  logLimit: 1_000_000,
  state: {
    sources: [{ id: source, manufacturer_id: 'collar-1' }],
    volume: {
      count: Number(count),
      start: new Date(start).toISOString(),
      end: new Date(start + Number(days) * 86_400_000).toISOString(),
    },
  },
});
process.on('message', () => process.send?.(site.log.entries().length));
process.once('SIGTERM', () => void site.close().then(() => process.disconnect()));
process.send?.({ url: site.url, token: site.token });
