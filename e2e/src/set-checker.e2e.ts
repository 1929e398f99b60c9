import test from 'ava';
import { check } from './harness/checker.ts';
import { inFlightAt, unexplainedRepeats } from './harness/in-flight.ts';
import { install } from './harness/installation.ts';
import { ingestLogItems } from './harness/platform.ts';
import { maxDurationMs, checkUnderKills, latenessOf, owedOf, sizeOf } from './harness/set-checking.ts';

const parks = ['aaaaaaaa-0000-4000-8000-000000000001', 'bbbbbbbb-0000-4000-8000-000000000002'] as const;

test.serial(
  'whatever is killed when: nothing acknowledged is lost, the order holds, and repeats stay within what was in flight',
  async (t) => {
    const installation = await install(parks);
    t.teardown(() => installation.remove());
    const { platform, webhookUrl, token } = installation;
    const size = sizeOf(6_000, 6);
    t.timeout(maxDurationMs(size));
    t.log(`seed ${size.seed}`);
    let running = await installation.up();
    const {
      sent: all,
      kills,
      lines,
      troubles,
    } = await checkUnderKills({
      ...size,
      platform,
      webhookUrls: [webhookUrl],
      token,
      integrations: parks,
      victims: [
        {
          kind: 'product',
          kill: async () => void (await running.end('SIGKILL')),
          start: async () => void (running = await installation.up()),
        },
      ],
      downMs: 0,
      pauseMs: 60,
    });
    const inFlight = inFlightAt(lines, kills);
    const sent = owedOf(all, size.failing);
    const report = check(sent, ingestLogItems(lines), { count: kills.length, inFlight });
    t.log(`${troubles} troubles; others late: ${JSON.stringify(latenessOf(sent, lines, kills, size.failing))}`);
    t.log(`set checker: ${JSON.stringify(report)}`);
    t.is(report.kills, size.kills);
    t.true(report.acknowledged >= size.events);
    t.is(report.lost, 0, 'lost');
    t.is(report.orderViolations, 0, 'order violations');
    t.is(report.messageFirst, 0, 'messages before the first observation');
    t.deepEqual(unexplainedRepeats(lines, kills), [], 'repeats of what was not in flight');
    t.true(report.duplicates <= inFlight, `${report.duplicates} duplicates, ${inFlight} in flight`);
    t.deepEqual((await platform.stats()).violations, {});
  },
);
