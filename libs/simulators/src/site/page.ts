import { isObject } from '../json.ts';
import { html, raw } from 'hono/html';
import type { SimulatedResponse } from '../http/answer.ts';
import { html as htmlAnswer } from './answers/envelope.ts';
import type { LogEntry, RequestLog } from './log.ts';
import type { Choice } from './state/records.ts';
import type { SiteStore } from './state/store.ts';

type Html = ReturnType<typeof html>;

const textOf = (value: unknown): string =>
  typeof value === 'string' ? value : value === undefined || value === null ? '' : JSON.stringify(value);

/** Most rows that a table shows. */
const maxRows = 200;

/** A table with a caption; rows beyond the limit are only counted. */
const table = (caption: string, columns: readonly string[], rows: readonly (readonly unknown[])[]): Html => {
  const more = rows.length - maxRows;
  return html`<section>
    <h2>${caption} <small>${rows.length}</small></h2>
    <table>
      <tr>
        ${columns.map((name) => html`<th>${name}</th>`)}
      </tr>
      ${rows.slice(0, maxRows).map(
        (row) =>
          html`<tr>
            ${row.map((cell) => html`<td>${textOf(cell)}</td>`)}
          </tr> `,
      )}
    </table>
    ${more > 0 && html`<p>and ${more} more</p>`}
  </section> `;
};

/** Data of the page. */
interface PageOptions {
  readonly store: SiteStore;
  readonly log: RequestLog;
}

const style = `body{font:15px/1.4 system-ui,sans-serif;margin:2rem auto;max-width:70rem;padding:0 1rem;color:#222}
h2{margin:2rem 0 .5rem}small{color:#777;font-weight:normal}table{border-collapse:collapse;width:100%}
td,th{text-align:left;vertical-align:top;padding:.2rem .6rem;border-bottom:1px solid #ddd;overflow-wrap:anywhere}`;

const onOff = (active: boolean): string => (active ? 'active' : 'inactive');

const member = (value: unknown, key: string): unknown => (isObject(value) ? value[key] : undefined);

const formRows = (form: unknown): readonly (readonly unknown[])[] => {
  const properties = member(member(form, 'json'), 'properties');
  const fields = member(member(form, 'ui'), 'fields');
  return Object.entries(isObject(properties) ? properties : {}).map(([name, property]) => {
    const field = member(fields, name);
    return [name, member(property, 'title'), member(field, 'type'), member(field, 'parent')];
  });
};

const choicesOf = ({ store }: PageOptions, ids: ReadonlySet<string>): readonly Choice[] =>
  [...ids]
    .flatMap((id) => store.choices.get(id) ?? [])
    .toSorted((a, b) => (a.ordernum ?? Infinity) - (b.ordernum ?? Infinity) || 0);

const requestRow = (entry: LogEntry): readonly unknown[] => {
  const path = entry.query === '' ? entry.path : `${entry.path}?${entry.query}`;
  return [entry.seq, entry.method, path, entry.status ?? 'under way', entry.username, entry.body];
};

const tables = (parts: PageOptions): readonly Html[] => {
  const { store, log } = parts;
  const { types, subjects, groups, settings } = store;
  return [
    table(
      'Patrol types',
      ['Value', 'Display', 'State', 'Id'],
      [...types.values()].map((type) => [type.value, type.display, onOff(type.is_active), type.id]),
    ),
    table(
      settings.form === null ? 'Form: none' : 'Form fields',
      ['Name', 'Title', 'Kind', 'Section'],
      formRows(settings.form),
    ),
    ...[...store.choiceIndex.fields].map(([field, ids]) =>
      table(
        `Choices: ${field}`,
        ['Value', 'Display', 'Order', 'State'],
        choicesOf(parts, ids).map((each) => [each.value, each.display, each.ordernum, onOff(each.is_active)]),
      ),
    ),
    table(
      'Subjects',
      ['Name', 'Subtype', 'State', 'Additional', 'Id'],
      [...subjects.values()].map((each) => [
        each.name,
        each.subject_subtype,
        onOff(each.is_active),
        each.additional,
        each.id,
      ]),
    ),
    table(
      'Subject groups',
      ['Name', 'Members', 'Under', 'Id'],
      [...groups.values()].map(({ id, name, parent, hidden }) => [
        hidden ? `${name} (hidden)` : name,
        store.members(id).size,
        parent === null ? '' : groups.get(parent)?.name,
        id,
      ]),
    ),
    table(
      'Last requests',
      ['', 'Method', 'Path', 'Status', 'Who', 'Body'],
      log.entries().slice(-50).toReversed().map(requestRow),
    ),
  ];
};

/** The page that shows what the site holds; tokens are not on it. */
export const page = (parts: PageOptions): SimulatedResponse => {
  const text = html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <title>Simulated site</title>
        <style>
          ${raw(style)}
        </style>
      </head>
      <body>
        <h1>Simulated site</h1>
        ${tables(parts)}
      </body>
    </html>`;
  return htmlAnswer(200, String(text));
};
