import { createLifecycle } from '@ranger-relay/runtime';
import { silentLogger, testContext } from '@ranger-relay/runtime/testing';
import test from 'ava';
import { entry } from '../../activity/test/harness.ts';
import type { Overview } from '../model.ts';
import { startStatusServer } from '../server/app.ts';
import { sosCall } from '../../sos/test/facts.ts';
import { blank, overview, problem } from '../test/harness.ts';
import { browserPath, openInBrowser, type BrowserPage } from './test/browser.ts';

const uuid = '2d0f1f3e-6f0b-4a53-9a61-0f3d4f1c2a01';
const at = new Date().toISOString();

/** Everything that the page can show, with the longest names. */
const full: Overview = {
  ...overview({ parked: 340, waiting: 12, dead_letters: 41, oldest_unsent_seconds: 7_300 }),
  status: {
    ...overview().status,
    verdict: {
      level: 'critical',
      text: '1 SOS waits for the platform, the oldest for 35 s',
      problems: [
        problem('critical', '1 SOS waits for the platform, the oldest for 35 s'),
        problem('warning', '340 events of 1 integration are parked, the oldest for 2 h'),
      ],
    },
    sos: [
      sosCall({ integration_id: uuid, received_at: at }),
      sosCall({
        integration_id: uuid,
        source: '300434030000002',
        received_at: at,
        delivery: 'refused',
        dead_letter: uuid,
      }),
    ],
    services: ['webhook-ingester', 'observation-forwarder', 'message-pusher', 'action-runner'].map((name, n) => ({
      name,
      ready: n !== 3,
      failing: [],
    })),
    integrations: [
      blank(uuid, {
        name: 'Northern conservancy, patrol devices and vehicles',
        parked: 340,
        accepted_observations: 1_234_567,
      }),
      blank('ffffffff-6f0b-4a53-9a61-0f3d4f1c2a01', { dead_letters: 41 }),
    ],
    texts: { accepted: 12, failed: 1, pending: 2, unknown: 3, oldest_undecided_seconds: 700 },
    runs: [{ integration_id: uuid, action_id: 'pull_observations', ended_at: at, outcome: 'failed' }],
  },
  letters: [
    {
      id: uuid,
      kind: 'webhook_event',
      integration_id: uuid,
      reason: 'integration_gone',
      received_at: at,
      failed_at: at,
      attempts: 1,
      kept_bytes: 1,
      sos: { state: 'declared', source: '300434030000002', event_id: null, recorded_at: null, parts: [] },
      stored: { at: 0, partition: 0, offset: 0n },
    },
  ],
};

const activity = [
  entry(1, {
    title: 'SOS declared by device 300434030000001',
    level: 30,
    data: { message_code: 4, long: 'x'.repeat(90) },
  }),
];

/** Resolves once an expression is true in the page. */
const holds = (page: BrowserPage, expression: string): Promise<unknown> =>
  page.evaluate(
    `new Promise((resolve) => { const look = () => ((${expression}) ? resolve(true) : requestAnimationFrame(look)); look(); })`,
  );

const inBrowser = browserPath === undefined ? test.skip : test;

for (const width of [360, 1_200])
  inBrowser(`the page works in a browser that is ${width} px wide, and says when it has lost its server`, async (t) => {
    const lifecycle = createLifecycle(silentLogger());
    const context = testContext({ lifecycle });
    let shown = full;
    const serving = await startStatusServer({
      context,
      port: 0,
      collect: async () => shown,
      recentActivity: () => activity,
    });
    const page = await openInBrowser(`http://127.0.0.1:${serving.port}/`, width);
    t.teardown(async () => {
      await page.close();
      await lifecycle.stop();
    });
    await holds(page, "document.getElementById('sos') !== null");
    t.true(Number(await page.evaluate('document.documentElement.scrollWidth')) <= width);
    const wide = `[...document.querySelectorAll('body *')].filter((e) => e.getBoundingClientRect().right > ${width} + 1).map((e) => e.outerHTML.slice(0, 80))`;
    t.deepEqual(await page.evaluate(wide), []);
    if (process.env['SCREENSHOTS']) {
      const { writeFileSync } = await import('node:fs');
      writeFileSync(`${process.env['SCREENSHOTS']}/page-${width}.png`, await page.screenshot());
    }

    shown = overview();
    await holds(page, "document.getElementById('verdict').className === 'good'");
    t.deepEqual(page.errors, []);
    await lifecycle.stop();
    await holds(page, "document.body.className === 'lost'");
    t.regex(String(await page.evaluate("document.getElementById('lost').textContent")), /^No answer from ranger-relay/);
  });
