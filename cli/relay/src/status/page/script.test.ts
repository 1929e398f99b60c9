import test from 'ava';
import { entry } from '../../activity/test/world.ts';
import { blank, overview } from '../test/world.ts';
import { json, openPage, type Answers, type FakeElement } from './test/fake-browser.ts';

const base = overview();

const answers = (more: Record<string, unknown> = {}, others: Answers = {}): Answers => ({
  '/overview.json': json({ ...base, flow: { posts: 3, stored: 12_345, duplicates: 2 }, simulated: false, ...more }),
  '/activity.json': json([]),
  '/simulated.json': json([]),
  ...others,
});

const item = (kind: string, more: object) => ({
  kind,
  integration_id: 'a',
  at: '2026-01-01T00:00:00.000Z',
  item: { source: '300434030000001', location: { lat: -1.25, lon: 36.8 }, additional: {}, ...more },
});

const texts = (list: FakeElement): string[] =>
  list.all.filter(({ tag }) => tag === 'p').map(({ textContent }) => textContent);

test('the flow is drawn with the live counts', async (t) => {
  const page = await openPage(answers());
  const flow = page.element('flow').textContent;
  t.regex(
    flow,
    /Vendor.*3POSTs taken.*Ingester.*12\u202F345stored.*Bus.*nothing waits.*Forwarder.*2 repeats dropped.*5accepted.*Platform/,
  );
  t.is(page.element('overall-text').textContent, 'All services ready');
  t.is(page.element('overall').className, 'pill good');
});

test('a service that is not ready is named and its light changes', async (t) => {
  const status = { ...base.status, services: [{ name: 'observation-forwarder', ready: false }] };
  const page = await openPage(answers({ status }));
  t.is(page.element('overall-text').textContent, 'observation-forwarder not ready');
  t.is(page.element('overall').className, 'pill bad');
  t.true(page.element('flow').all.some(({ className }) => className === 'dot bad'));
});

test('parked events and dead letters stand out only when there are some', async (t) => {
  const calm = await openPage(answers());
  t.deepEqual(
    calm.element('side').all.map(({ className }) => className),
    ['', ''],
  );
  const totals = { ...base.totals, parked: 4, dead_letters: 1 };
  const page = await openPage(answers({ totals }));
  t.deepEqual(
    page.element('side').all.map(({ className, textContent }) => `${className}: ${textContent}`),
    ['warn: 4 parked', 'bad: 1 dead letter'],
  );
});

test('each integration has a row whose cells are labelled for a phone', async (t) => {
  const integrations = [blank('a', { accepted_messages: 7, parked: 2 }), blank('b')];
  const page = await openPage(answers({ status: { ...base.status, integrations } }));
  const cells = page.element('integrations').all.filter(({ tag }) => tag === 'td');
  t.is(cells.length, 14);
  t.is(cells[0]?.textContent, 'a');
  t.deepEqual([cells[2]?.textContent, cells[2]?.dataset['label']], ['7', 'Messages']);
  t.deepEqual([cells[5]?.textContent, cells[5]?.className], ['2', 'warn']);
});

test('items of the simulated platform are listed the newest first, and an SOS stands out', async (t) => {
  const items = [
    item('observation', { additional: { message_code_name: 'check_in' } }),
    item('message', { text: 'Back at noon' }),
    item('message', { text: 'SOS declared', location: undefined, additional: { sos: 'declared' } }),
    item('observation', { additional: { sos: 'confirmed' } }),
  ];
  const page = await openPage(answers({ simulated: true }, { '/simulated.json': json(items) }));
  t.false(page.element('simulated-card').hidden);
  t.deepEqual(
    texts(page.element('simulated')).filter((_, index) => index % 2 === 0),
    ['SOS confirmed', 'SOS declared', '“Back at noon”', 'check in'],
  );
  const rows = page.element('simulated').all.filter(({ tag }) => tag === 'li');
  t.deepEqual(
    rows.map(({ className }) => className),
    ['sos', 'sos', 'message', ''],
  );
});

test('with a real platform nothing simulated is shown or asked for', async (t) => {
  const page = await openPage(answers());
  t.true(page.element('simulated-card').hidden);
  t.deepEqual(page.asked, ['/overview.json', '/activity.json?limit=100']);
});

test('recent activity is worded and coloured by its level', async (t) => {
  const entries = [
    entry(1, { result: { total_observations: 2 } }),
    entry(2, { title: 'SOS declared', level: 30 }),
    entry(3, { title: 'The key is refused', level: 40 }),
    { ...entry(4, { error: 'late' }), event_type: 'IntegrationWebhookFailed' },
  ];
  const page = await openPage(answers({}, { '/activity.json': json(entries) }));
  const titles = page
    .element('activity')
    .all.filter(({ tag }) => tag === 'p')
    .filter((_, index) => index % 2 === 0);
  t.deepEqual(
    titles.map(({ textContent, className }) => `${className}: ${textContent}`),
    [': webhook complete', 'warn: SOS declared', 'bad: The key is refused', 'bad: webhook failed'],
  );
});

test('starts and counts of nothing are left out, so that what happened is seen', async (t) => {
  const started = { ...entry(1), event_type: 'IntegrationWebhookStarted' };
  const complete = entry(2, { webhook_id: 'w', result: { total_observations: 2, rejected: 0 } });
  const page = await openPage(answers({}, { '/activity.json': json([complete, started]) }));
  t.deepEqual(texts(page.element('activity')), ['webhook complete', 'w · total observations 2']);
});

test('markup from outside stays text', async (t) => {
  const attack = '<img src=x onerror=alert(1)>';
  const page = await openPage(
    answers(
      { simulated: true, status: { ...base.status, integrations: [blank(attack)] } },
      {
        '/simulated.json': json([item('message', { text: attack, source: attack })]),
        '/activity.json': json([entry(1, { title: attack })]),
      },
    ),
  );
  for (const id of ['integrations', 'simulated', 'activity']) {
    t.true(page.element(id).textContent.includes(attack), id);
    t.false(
      page.element(id).all.some(({ tag }) => tag === 'img'),
      id,
    );
  }
});

test('values of unexpected shapes break nothing', async (t) => {
  const odd = [
    item('message', { location: null, additional: null, text: 5 }),
    item('observation', { location: 'here' }),
  ];
  const page = await openPage(
    answers(
      { simulated: true },
      { '/simulated.json': json(odd), '/activity.json': json([{ ...entry(1), timestamp: 'noon', payload: null }]) },
    ),
  );
  t.is(page.element('problem').textContent, '');
  t.is(page.element('simulated').all.filter(({ tag }) => tag === 'li').length, 2);
});

test('an unreachable server is said, what was drawn stays, and it is asked again', async (t) => {
  const scripted = answers();
  const page = await openPage(scripted);
  const drawn = page.element('flow').textContent;
  const good = scripted['/overview.json'];
  scripted['/overview.json'] = new Error('gone');
  await page.again();
  t.false(page.element('problem').hidden);
  t.regex(page.element('problem').textContent, /No answer from ranger-relay/);
  t.is(page.element('flow').textContent, drawn);
  scripted['/overview.json'] = good;
  await page.again();
  t.true(page.element('problem').hidden);
  t.is(page.element('overall-text').textContent, 'All services ready');
});

test('a failure of the server is told with its sentence', async (t) => {
  const failing = {
    ok: false,
    status: 503,
    json: async () => ({ detail: { error: 'The key-value store does not answer: test' } }),
  };
  const page = await openPage(answers({}, { '/overview.json': failing }));
  t.is(page.element('problem').textContent, 'The key-value store does not answer: test');
});

test('lists that did not change are not drawn anew, so that scrolling and selections stay', async (t) => {
  const page = await openPage(answers({}, { '/activity.json': json([entry(1)]) }));
  const [before] = page.element('activity').children;
  await page.again();
  t.is(page.element('activity').children[0], before);
});

test('texts to devices are told once there are some, and stand out when one was not sent', async (t) => {
  const texts = { accepted: 1, failed: 0, pending: 0, unknown: 0, oldest_undecided_seconds: 0 };
  const side = async (more: object): Promise<string[]> => {
    const page = await openPage(answers({ status: { ...base.status, texts: { ...texts, ...more } } }));
    return page.element('side').all.map(({ className, textContent }) => `${className}: ${textContent}`);
  };
  t.deepEqual((await side({ accepted: 0 })).length, 2);
  t.is((await side({}))[2], ': 1 text to devices sent');
  t.is((await side({ pending: 2, failed: 1 }))[2], 'warn: 1 text to devices sent, 2 on the way, 1 not sent');
});

test('last runs of actions have a table of their own, once there are some', async (t) => {
  const calm = await openPage(answers());
  t.true(calm.element('runs-card').hidden);
  const run = { integration_id: 'a', action_id: 'pull_events', ended_at: '2026-01-01T00:00:00Z', outcome: 'failed' };
  const page = await openPage(answers({ status: { ...base.status, runs: [run] } }));
  t.false(page.element('runs-card').hidden);
  const cells = page.element('runs').all.filter(({ tag }) => tag === 'td');
  t.deepEqual(
    cells.map(({ textContent }) => textContent).filter((_, index) => index !== 2),
    ['pull_events', 'a', 'failed'],
  );
  t.is(cells[3]?.className, 'bad');
});
