import { humanAgo, humanCount, humanSpan, plural } from '@ranger-relay/terminal';
import { html } from 'hono/html';
import type { ActivityEntry } from '../../activity/format.ts';
import { briefly, labelsOf, stepText } from '../../sos/format.ts';
import type { Delivery, SosCall, Step } from '../../sos/model.ts';
import { type Overview, type ServiceStatus, simulatedText, type Status } from '../model.ts';
import type { FlowCounters } from '../server/counters.ts';
import type { SimulatedItem } from './rows.ts';
import { listedProblems } from '../verdict.ts';
import { activityRow, simulatedRow } from './rows.ts';

/** Markup; external text is escaped on insertion. */
export type Html = ReturnType<typeof html>;

/** Data of the page. */
export interface PageView {
  readonly overview: Overview;
  readonly flow: FlowCounters;
  /** Newest first. */
  readonly activity: readonly ActivityEntry[];
  /** Newest last; undefined with a real platform. */
  readonly simulated: readonly SimulatedItem[] | undefined;
  /** Ms since 1970. */
  readonly now: number;
  /** Prefix of a command in another terminal, like `DATA_DIR=/data`. */
  readonly settings: readonly string[];
}

const tones = { ok: 'good', warning: 'warn', critical: 'bad' } as const;

const remedyOf = (remedy = ''): Html | '' => (remedy === '' ? '' : html` <small>${remedy}</small>`);

const verdictPart = ({ overview: { status }, simulated }: PageView): Html => {
  const { level, text } = status.verdict;
  const problems = listedProblems(status.verdict.problems);
  return html`<div id="verdict" data-part class="${tones[level]}" role="status">
    ${simulated ? html`<p class="warn"><strong>${simulatedText}</strong></p>` : ''}
    <p class="pill"><span class="dot"></span><span>${text}${remedyOf(problems[0]?.remedy)}</span></p>
    ${
      problems.length > 1
        ? html`<ul>
            ${problems.slice(1).map((problem) => html`<li class="${tones[problem.level]}">${problem.text}${remedyOf(problem.remedy)}</li>`)}
          </ul>`
        : ''
    }
  </div>`;
};

const nameOf = ({ integrations }: Status, id: string | null): string =>
  integrations.find((integration) => integration.id === id)?.name ?? id ?? '–';

/** The command that shows a dead letter, for pasting. */
const showLetter = ({ settings }: PageView, id: string): Html =>
  html`<code>${[...settings, `npx ranger-relay dlq show ${id}`].join(' ')}</code>`;

const deliveries: Readonly<Record<Delivery, string>> = {
  waiting: 'The platform has not accepted it yet.',
  refused: 'It could not be delivered.',
  accepted: 'The platform has accepted it.',
  not_known: 'It is not known whether the platform accepted it.',
  dropped: 'A person dropped its dead letter.',
  dropped_disabled: 'It was dropped: the integration was disabled.',
};

const stepWords = (step: Step): string =>
  step.seconds > 0 ? `${stepText(step)} after ${humanSpan(step.seconds)}` : stepText(step);

const sosRow = (view: PageView, call: SosCall, label: string): Html =>
  html`<li class="${call.open ? 'open' : 'taken'}">
    <p><strong>SOS ${call.state}</strong> by device ${call.source || '–'}, ${humanAgo(call.received_at, view.now)}</p>
    <p class="more">
      ${label} · ${deliveries[call.delivery]} ${call.dead_letter === null ? '' : showLetter(view, call.dead_letter)}
    </p>
    <p class="more">
      ${call.events
        .flatMap(({ steps }) => steps)
        .map(stepWords)
        .join(', ')}
    </p>
  </li>`;

const sosPart = (view: PageView): Html => {
  const { sos } = view.overview.status;
  const { shown, more } = briefly(sos);
  const labelOf = labelsOf(sos);
  return html`<section id="sos" data-part class="card" ${sos.length === 0 ? 'hidden' : ''} role="alert">
    <h2>SOS</h2>
    <ul>
      ${shown.map((call) => sosRow(view, call, labelOf(call)))}
    </ul>
    ${more === 0 ? '' : html`<p class="more">${humanCount(more)} more: <code>ranger-relay sos</code></p>`}
  </section>`;
};

const box = (title: string, service: ServiceStatus | undefined, text: string): Html =>
  html`<div class="box">
    <strong>${service ? html`<span class="dot ${service.ready ? 'good' : 'bad'}"></span>` : ''}${title}</strong>
    <p>${service && !service.ready ? 'not ready' : text}</p>
  </div>`;

const arrow = (count: number | null, label: string): Html =>
  html`<div class="arrow"><b>${count === null ? '–' : humanCount(count)}</b><i></i><span>${label}</span></div>`;

const textNote = ({ texts }: Status): Html | '' => {
  const { accepted, failed, pending, unknown } = texts;
  if (accepted + failed + pending + unknown === 0) return '';
  const open = [
    [pending, 'on the way'],
    [unknown, 'perhaps sent'],
    [failed, 'not sent'],
  ] as const;
  const counts = open.filter(([count]) => count > 0).map(([count, label]) => `${humanCount(count)} ${label}`);
  const text = [`${plural(accepted, 'text')} to devices sent`, ...counts].join(', ');
  return html`<span class="${failed + unknown > 0 ? 'warn' : ''}">${text}</span>`;
};

const flowPart = ({ overview: { status, totals }, flow, simulated }: PageView): Html => {
  const { services } = status;
  const named = (word: string) => services.find(({ name }) => name.includes(word));
  const accepted = totals.accepted_observations + totals.accepted_messages;
  const waiting = totals.waiting + totals.parked;
  const bus =
    waiting === 0
      ? 'nothing waits'
      : `${humanCount(waiting)} waiting, oldest ${humanSpan(totals.oldest_unsent_seconds)}`;
  const platform = `${plural(totals.accepted_observations, 'observation')}, ${plural(totals.accepted_messages, 'message')}`;
  const repeats = flow.duplicates ? `${plural(flow.duplicates, 'repeat')} dropped` : 'keeps the order';
  const others = services.filter(({ name }) => !/ingester|forwarder/.test(name));
  const since =
    'POSTs, stored events and dropped repeats since this process started; what the platform accepted since the store exists; texts of the last eight days.';
  return html`<section id="flow" data-part class="card" aria-label="Flow of events">
    <div class="flow">
      ${box('Vendor', undefined, simulated ? 'simulated devices' : 'devices')} ${arrow(flow.posts, 'POSTs taken')}
      ${box('Ingester', named('ingester'), 'maps every event')} ${arrow(flow.stored, 'stored')}
      ${box('Bus', undefined, bus)} ${arrow(waiting, 'to send')} ${box('Forwarder', named('forwarder'), repeats)}
      ${arrow(accepted, 'accepted')} ${box('Platform', undefined, simulated ? `simulated: ${platform}` : platform)}
    </div>
    <div class="side">
      <span class="${totals.parked > 0 ? 'warn' : ''}">${humanCount(totals.parked)} parked</span>
      <span class="${totals.dead_letters > 0 ? 'bad' : ''}">${plural(totals.dead_letters, 'dead letter')}</span>
      ${textNote(status)}
      ${others.map(
        ({ name, ready }) => html`<span class="${ready ? '' : 'bad'}">${name} ${ready ? 'ready' : 'not ready'}</span>`,
      )}
    </div>
    <p class="more">${since}</p>
  </section>`;
};

interface Cell {
  readonly label: string;
  readonly value: Html | string;
  readonly tone?: string;
}

/** On a phone each row is a block, and its cells bear their labels. */
const table = (rows: readonly (readonly Cell[])[]): Html =>
  html`<table>
    <thead>
      <tr>
        ${rows[0]?.map(({ label }) => html`<th>${label}</th>`)}
      </tr>
    </thead>
    <tbody>
      ${rows.map(
        (cells) =>
          html`<tr>
            ${cells.map(({ label, value, tone = '' }) => html`<td data-label="${label}" class="${tone}">${value}</td>`)}
          </tr>`,
      )}
    </tbody>
  </table>`;

const integrationCell = (status: Status, id: string | null): Cell => {
  const name = nameOf(status, id);
  const value = name === id || id === null ? name : html`${name} <small>${id}</small>`;
  return { label: 'Integration', value, tone: 'wide' };
};

/** A part of the page with a title, hidden while it has nothing to show. */
const card = (id: string, title: string, isShown: boolean, content: Html): Html =>
  html`<section id="${id}" data-part class="card" ${isShown ? '' : 'hidden'}>
    <h2>${title}</h2>
    ${content}
  </section>`;

const integrationRow = (status: Status, item: Status['integrations'][number], now: number): Cell[] => [
  integrationCell(status, item.id),
  { label: 'Observations', value: humanCount(item.accepted_observations) },
  { label: 'Messages', value: humanCount(item.accepted_messages) },
  { label: 'Last event', value: humanAgo(item.last_event_at, now) },
  { label: 'Oldest unsent', value: item.oldest_unsent_seconds > 0 ? humanSpan(item.oldest_unsent_seconds) : '–' },
  { label: 'Parked', value: humanCount(item.parked), tone: item.parked > 0 ? 'warn' : '' },
  { label: 'Dead letters', value: humanCount(item.dead_letters), tone: item.dead_letters > 0 ? 'bad' : '' },
];

const integrationsPart = ({ overview: { status }, now }: PageView): Html => {
  const rows = status.integrations.map((item) => integrationRow(status, item, now));
  const empty = html`<p class="empty">No event is stored yet.</p>`;
  return card('integrations', 'Integrations', true, rows.length === 0 ? empty : table(rows));
};

const lettersPart = (view: PageView): Html => {
  const { status, totals, letters } = view.overview;
  const isCut = totals.dead_letters > letters.length;
  const title = isCut
    ? `The newest ${letters.length} of ${humanCount(totals.dead_letters)} dead letters`
    : 'Dead letters';
  const rows = letters.map(({ id, kind, reason, sos, failed_at: at, integration_id: integration }): Cell[] => [
    { label: 'Reason', value: html`${sos ? html`<b class="bad">SOS</b> ` : ''}${reason}` },
    { label: 'What', value: kind.replaceAll('_', ' ') },
    integrationCell(status, integration),
    { label: 'Failed', value: humanAgo(at, view.now) },
    { label: 'Look at it', value: showLetter(view, id), tone: 'wide' },
  ]);
  return card('letters', title, letters.length > 0, table(rows));
};

const runsPart = ({ overview: { status }, now }: PageView): Html => {
  const rows = status.runs.map(({ action_id: action, integration_id: id, ended_at: at, outcome }): Cell[] => [
    { label: 'Action', value: action },
    integrationCell(status, id),
    { label: 'Last run', value: humanAgo(at, now) },
    { label: 'Outcome', value: outcome, tone: outcome === 'failed' ? 'bad' : '' },
  ]);
  return card('runs', 'Last runs of actions', rows.length > 0, table(rows));
};

const list = (id: string, label: string, rows: readonly Html[], empty: string): Html =>
  html`<ol id="${id}" data-part tabindex="0" aria-label="${label}">
    ${rows.length > 0 ? rows : html`<li class="empty">${empty}</li>`}
  </ol>`;

const listsPart = ({ simulated, activity }: PageView): Html => {
  const ended = activity.filter(({ event_type: type }) => !type.endsWith('Started'));
  return html`<div class="columns ${simulated ? '' : 'one'}">
    ${
      simulated
        ? html`<section class="card">
            <h2>What the simulated platform took, the newest first</h2>
            ${list('simulated', 'Items of the simulated platform', simulated.toReversed().map(simulatedRow), 'Nothing has arrived yet.')}
          </section>`
        : ''
    }
    <section class="card">
      <h2>Recent activity</h2>
      ${list('activity', 'Recent activity', ended.map(activityRow), 'Nothing has happened since the start.')}
    </section>
  </div>`;
};

/** The changing content, in parts that the browser replaces one by one. */
export const partsOf = (view: PageView): Html =>
  html`${verdictPart(view)} ${sosPart(view)} ${flowPart(view)} ${integrationsPart(view)} ${lettersPart(view)}
  ${runsPart(view)} ${listsPart(view)}`;

/** The only part that can be shown while bus or store are unavailable. */
export const troublePart = (problem: string): Html =>
  html`<div id="verdict" data-part class="bad" role="status">
    <p class="pill"><span class="dot"></span><span>${problem}</span></p>
  </div>`;
