/** Browser script, second part: drawing each part of the page from what the server answered. */
export const drawScript = String.raw`
const serviceNamed = (services, word) => services.find((service) => String(service.name).includes(word));

const light = (service) => (service ? make('span', 'dot ' + (service.ready ? 'good' : 'bad')) : null);

const box = (title, service, text) =>
  make('div', 'box', make('strong', '', light(service), title), make('p', '', service && !service.ready ? 'not ready' : text));

const arrow = (number, label) => make('div', 'arrow', make('b', '', count(number)), make('i'), make('span', '', label));

const drawOverall = (services) => {
  const failing = services.filter((service) => !service.ready).map((service) => service.name);
  byId('overall').className = 'pill ' + (failing.length > 0 ? 'bad' : 'good');
  byId('overall-text').textContent = failing.length > 0 ? failing.join(', ') + ' not ready' : 'All services ready';
};

const textNotes = ({ accepted, failed, pending, unknown }) => {
  if (accepted + failed + pending + unknown === 0) return [];
  const open = [[pending, 'on the way'], [unknown, 'perhaps sent'], [failed, 'not sent']].filter(([n]) => n > 0).map(([n, label]) => count(n) + ' ' + label);
  return [make('span', failed + unknown > 0 ? 'warn' : '', [count(accepted) + (accepted === 1 ? ' text' : ' texts') + ' to devices sent', ...open].join(', '))];
};

const drawFlow = ({ status, totals, flow, simulated }) => {
  const accepted = totals.accepted_observations + totals.accepted_messages;
  const waiting = totals.waiting + totals.parked;
  fill(
    'flow',
    box('Vendor', null, simulated ? 'simulated devices' : 'devices'),
    arrow(flow.posts, 'POSTs taken'),
    box('Ingester', serviceNamed(status.services, 'ingester'), 'maps every event'),
    arrow(flow.stored, 'stored'),
    box('Bus', null, waiting === 0 ? 'nothing waits' : count(waiting) + ' waiting, oldest ' + span(totals.oldest_unsent_seconds)),
    arrow(waiting, 'to send'),
    box('Forwarder', serviceNamed(status.services, 'forwarder'), flow.duplicates > 0 ? count(flow.duplicates) + ' repeats dropped' : 'keeps the order'),
    arrow(accepted, 'accepted'),
    box('Platform', null, simulated ? 'simulated' : count(totals.accepted_observations) + ' observations, ' + count(totals.accepted_messages) + ' messages'),
  );
  const others = status.services.filter((s) => !/ingester|forwarder/.test(String(s.name)));
  fill(
    'side',
    make('span', totals.parked > 0 ? 'warn' : '', count(totals.parked) + ' parked'),
    make('span', totals.dead_letters > 0 ? 'bad' : '', count(totals.dead_letters) + (totals.dead_letters === 1 ? ' dead letter' : ' dead letters')),
    ...textNotes(status.texts),
    ...others.map((s) => make('span', s.ready ? '' : 'bad', s.name + (s.ready ? ' ready' : ' not ready'))),
  );
};

const columns = [
  ['Integration', (i) => i.id],
  ['Observations', (i) => count(i.accepted_observations)],
  ['Messages', (i) => count(i.accepted_messages)],
  ['Last event', (i) => ago(i.last_event_at)],
  ['Oldest unsent', (i) => (i.oldest_unsent_seconds > 0 ? span(i.oldest_unsent_seconds) : '–')],
  ['Parked', (i) => count(i.parked), (i) => (i.parked > 0 ? 'warn' : '')],
  ['Dead letters', (i) => count(i.dead_letters), (i) => (i.dead_letters > 0 ? 'bad' : '')],
];

const integrationRow = (integration) =>
  make('tr', '', ...columns.map(([label, value, tone]) => {
    const cell = make('td', tone ? tone(integration) : '', value(integration));
    cell.dataset.label = label;
    return cell;
  }));

const drawIntegrations = (integrations) => {
  if (integrations.length === 0) return fill('integrations', make('p', 'empty', 'No events have come yet.'));
  const head = make('thead', '', make('tr', '', ...columns.map(([label]) => make('th', '', label))));
  fill('integrations', make('table', '', head, make('tbody', '', ...integrations.map(integrationRow))));
};

const runRow = ({ integration_id: integration, action_id: action, ended_at: at, outcome }) => {
  const cells = [['Action', action], ['Integration', integration ?? '–'], ['Last run', ago(at)], ['Outcome', outcome]];
  return make('tr', '', ...cells.map(([label, value]) => {
    const cell = make('td', label === 'Outcome' && outcome === 'failed' ? 'bad' : '', value);
    cell.dataset.label = label;
    return cell;
  }));
};

const drawRuns = (runs) => {
  byId('runs-card').hidden = runs.length === 0;
  const head = make('thead', '', make('tr', '', ...['Action', 'Integration', 'Last run', 'Outcome'].map((label) => make('th', '', label))));
  fill('runs', make('table', '', head, make('tbody', '', ...runs.map(runRow))));
};

const row = (className, iso, title, more) =>
  make('li', className, make('time', '', clockTime(iso)), make('div', '', make('p', '', title), more ? make('p', 'more', more) : null));

const place = (location) => {
  const lat = location.lat ?? location.latitude;
  const lon = location.lon ?? location.longitude;
  return typeof lat === 'number' && typeof lon === 'number' ? lat.toFixed(4) + ', ' + lon.toFixed(4) : 'no position';
};

const simulatedRow = ({ kind, at, item }) => {
  const additional = object(item.additional);
  const where = place(object(item.location));
  const name = String(additional.message_code_name ?? 'position').replaceAll('_', ' ');
  const detail = item.source + ' · ' + where;
  const alarm = String(item.text ?? '');
  if (additional.sos)
    return row('sos', at, alarm.startsWith('SOS') ? alarm : ['SOS ' + additional.sos, alarm].filter(Boolean).join(': '), kind + ' · ' + detail);
  if (kind === 'message') return row('message', at, item.text ? '“' + item.text + '”' : name, 'message · ' + detail);
  return row('', at, name, 'observation · ' + detail);
};

const words = (value) =>
  typeof value === 'object' && value !== null
    ? Object.entries(value).filter(([, item]) => item !== 0).map(([name, item]) => name.replaceAll('_', ' ') + ' ' + (typeof item === 'object' ? JSON.stringify(item) : item)).join(', ')
    : String(value);

const activityRow = ({ timestamp, event_type: type, payload }) => {
  const { title, level, result, error, data, webhook_id: webhook, action_id: action } = object(payload);
  const parts = [result, error, title ? data : null].filter((part) => part !== undefined && part !== null).map(words);
  const item = row('', timestamp, title ?? String(type).replace(/^Integration/, '').replace(/([a-z])([A-Z])/g, '$1 $2').toLowerCase(), [webhook ?? action, ...parts].filter(Boolean).join(' · '));
  if (level >= 40 || /Failed$/.test(type)) item.querySelector('p').className = 'bad';
  else if (level >= 30) item.querySelector('p').className = 'warn';
  return item;
};

const drawList = (id, rows, empty) => fill(id, ...(rows.length > 0 ? rows : [make('p', 'empty', empty)]));
`;
