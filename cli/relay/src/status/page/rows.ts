import { html } from 'hono/html';
import type { ActivityEntry } from '../../activity/format.ts';
import type { Html } from './parts.ts';

/** One item that the simulated platform accepted, for display. */
export interface SimulatedItem {
  readonly kind: 'observation' | 'message';
  readonly integration_id: string;
  /** Time of acceptance, ISO. */
  readonly at: string;
  /** The observation or message itself, as it was posted. */
  readonly item: Readonly<Record<string, unknown>>;
}

/** The newest items that the simulated platform accepted, in order of arrival. */
export type SimulatedItems = (limit: number) => readonly SimulatedItem[] | Promise<readonly SimulatedItem[]>;

type Members = Readonly<Record<string, unknown>>;

const members = (value: unknown): Members => (typeof value === 'object' && value !== null ? (value as Members) : {});

const clockTime = (iso: string): string => {
  const at = new Date(iso);
  return Number.isNaN(at.getTime()) ? '' : `${at.toISOString().slice(11, 19)} UTC`;
};

const row = (tone: string, iso: string, title: string, more: string): Html =>
  html`<li class="${tone}">
    <time>${clockTime(iso)}</time>
    <div>
      <p>${title}</p>
      ${more === '' ? '' : html`<p class="more">${more}</p>`}
    </div>
  </li>`;

const place = (location: Members): string => {
  const [lat, lon] = [location['lat'] ?? location['latitude'], location['lon'] ?? location['longitude']];
  return typeof lat === 'number' && typeof lon === 'number' ? `${lat.toFixed(4)}, ${lon.toFixed(4)}` : 'no position';
};

/** An item that the simulated platform accepted. Its text and position are simulated too. */
export const simulatedRow = ({ kind, at, item }: SimulatedItem): Html => {
  const additional = members(item['additional']);
  const detail = `${kind} · ${String(item['source'])} · ${place(members(item['location']))}`;
  const text = String(item['text'] ?? '');
  const { sos } = additional;
  if (sos) {
    const called = text.startsWith('SOS') ? text : [`SOS ${String(sos)}`, text].filter(Boolean).join(': ');
    return row('sos', at, called, detail);
  }
  const name = String(additional['message_code_name'] ?? 'position').replaceAll('_', ' ');
  return kind === 'message' ? row('message', at, text ? `“${text}”` : name, detail) : row('', at, name, detail);
};

const valueText = (value: unknown): string =>
  typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value);

/** Members of an object in words, without zero counts. */
const words = (value: unknown): string =>
  typeof value === 'object' && value !== null
    ? Object.entries(value)
        .filter(([, item]) => item !== 0)
        .map(([name, item]) => `${name.replaceAll('_', ' ')} ${valueText(item)}`)
        .join(', ')
    : String(value);

const titleOf = (type: string): string =>
  type
    .replace(/^Integration/, '')
    .replaceAll(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase();

const toneOf = (type: string, level: unknown): string => {
  if (type.endsWith('Failed') || (typeof level === 'number' && level >= 40)) return 'failed';
  return typeof level === 'number' && level >= 30 ? 'warned' : '';
};

/** An entry of the activity log. */
export const activityRow = ({ timestamp, event_type: type, payload }: ActivityEntry): Html => {
  const { title, level, result, error, data, webhook_id: webhook, action_id: action } = members(payload);
  const parts = [result, error, title ? data : null].filter((part) => part !== undefined && part !== null).map(words);
  const more = [webhook ?? action, ...parts].filter(Boolean).map(String).join(' · ');
  return row(toneOf(type, level), timestamp, title ? valueText(title) : titleOf(type), more);
};
