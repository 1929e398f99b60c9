import { isDeepStrictEqual } from 'node:util';
import type { SyncPlan } from '@ranger-relay/contracts';
import type { SiteSimulator, SiteState } from '@ranger-relay/simulators';
import type { Simulation } from '../simulation.ts';
import type { Violation } from '../truth.ts';
import type { ObservedRequest, SyncCall } from './operator.ts';
import { type Cell, nameOfCell, type Person, type StoredForm, type Table, tables, valueOf } from './person.ts';
import { createReadings, type Place } from './readings.ts';
import { isAbout, memberIn, type Records, valueIn } from './records.ts';

/** A request that has arrived at the site. */
export interface Arrived {
  readonly caller: string;
  readonly method: string;
  readonly url: string;
  readonly body: string;
}

/** A request that may still have an effect, when it arrived, and when its process had listed the subjects until then. */
interface Pending extends Arrived {
  readonly at: number;
  readonly listedAt: number | undefined;
}

/** Sees every change of the site, finds out who made it, and whether they might. */
export interface SyncTruth {
  /** Takes a request of a process as it leaves, and again with its answer. */
  sent(call: SyncCall, request: ObservedRequest): void;
  /** Takes a request as it arrives at the site. */
  arrived(request: Arrived): void;
  /** Finds what has changed at the site. */
  look(): void;
  /** The person changes something. */
  edit(): void;
  /** An operator approves this plan. */
  approve(plan: SyncPlan): void;
  edits(): number;
  readonly violations: Violation[];
}

/** What the truth is about. */
export interface SyncTruthOptions {
  readonly simulation: Simulation;
  readonly site: SiteSimulator;
  readonly person: Person;
  readonly records: Records;
  /** Whether one process at a time may write now: the operators share a lock, and its disk is fast enough to refresh it. */
  readonly isLocked: () => boolean;
}

/** A changed value of a row. */
interface Change {
  readonly cell: Cell;
  readonly before: unknown;
  readonly after: unknown;
}

type Row = Readonly<Record<string, unknown>> & { readonly id: string };

const rowsOf = (state: SiteState, table: Table): readonly Row[] => state[table] as unknown as readonly Row[];

const keysOf = (row: Row): Record<string, unknown> => (row['additional'] ?? {}) as Record<string, unknown>;

/** A run writes the uuid of an employee with dashes, whatever spelling it found. */
const memberOf = (row: Row): string => memberIn(keysOf(row));

const changesOf = (table: Table, before: Row, after: Row): Change[] => {
  const { id } = before;
  const changeOf = (member: string, key: string | null, was: unknown, is: unknown): Change[] =>
    isDeepStrictEqual(was, is) ? [] : [{ cell: { table, id, member, key }, before: was, after: is }];
  const [was, is] = [keysOf(before), keysOf(after)];
  const members = Object.keys(after).filter((member) => member !== 'additional');
  const keys = new Set([...Object.keys(was), ...Object.keys(is)]);
  return [
    ...members.flatMap((member) => changeOf(member, null, before[member], after[member])),
    ...[...keys].flatMap((key) => changeOf('additional', key, was[key], is[key])),
  ];
};

const placeOf = (table: Table, { id, field }: Row): Place => ({ table, id, field: field as string | undefined });

const propertiesOf = (form: unknown): string[] => Object.keys((form as StoredForm | null)?.json.properties ?? {});

/** Whether a request asks for the change of a row. */
const asksFor = ({ method, url, body }: Arrived, table: Table, row: Row, isNew: boolean): boolean => {
  const { pathname } = new URL(url);
  const names = (name: unknown): boolean => pathname.includes(`/${String(name)}/`);
  if (!isNew) return method !== 'POST' && (names(row.id) || names(row['value']));
  if (method !== 'POST') return false;
  const json = JSON.parse(body) as Row;
  if (table === 'subjects') return pathname.endsWith('/subjects/') && memberOf(json) === memberOf(row);
  return json['value'] === row['value'] && json['field'] === row['field'];
};

/** Whether a row has what a patch of it says. */
const isOutcome = ({ method, body }: Arrived, row: Row): boolean =>
  method !== 'PATCH' ||
  Object.entries(JSON.parse(body) as object).every(([member, value]) => isDeepStrictEqual(row[member], value));

/** Requests that may still have an effect. */
const maxRequests = 200;
const maxViolations = 20;
/** A process that has written so recently still holds its lock, ms: a lock is free after a minute without a heartbeat. */
const holdMs = 30_000;

/** Creates the truth about a site. */
export const createSyncTruth = ({ simulation, site, person, records, isLocked }: SyncTruthOptions): SyncTruth => {
  const { clock } = simulation;
  const violations: Violation[] = [];
  const calls = new Map<string, SyncCall>();
  const plans = new Map<string, SyncPlan>();
  const readings = createReadings();
  /** When the person changed a cell, or added a field; until a process changes it. */
  const edited = new Map<string, number>();
  /** Subjects of employees that processes created. */
  const created: { readonly member: string; readonly id: string; readonly at: number }[] = [];
  const requests: Pending[] = [];
  let writer: { readonly call: SyncCall; readonly at: number } | undefined;
  let edits = 0;
  let state = site.state();

  const wrong = (rule: Violation['rule'], what: string, about: readonly string[]): void => {
    simulation.tell(`VIOLATION ${rule}: ${what}`);
    if (violations.length < maxViolations) violations.push({ rule, what, about });
  };

  /** What of the person's a change replaces, and when they set it; undefined when it is not theirs, or nobody could have seen it. */
  const mustKnow = ({ caller, at }: Pending, place: Place, name: string): string | undefined => {
    const editedAt = edited.get(name);
    return editedAt === undefined ? undefined : readings.mustKnow(caller, place, editedAt, at);
  };

  const checkApproved = (call: SyncCall, author: Pending, table: Table, row: Row, changes: readonly Change[]): void => {
    if (call.approved === undefined || call.command === 'undo') return;
    const planned = plans.get(call.approved)?.changes.filter((change) => isAbout(change, table, row)) ?? [];
    const isSecond = rowsOf(state, 'subjects').some((each) => each.id !== row.id && memberOf(each) === memberOf(row));
    for (const { cell, before, after } of changes) {
      const fits = planned.some(
        (change) =>
          isDeepStrictEqual(valueIn(change, 'written', cell), after) &&
          (change.action === 'created' ||
            isDeepStrictEqual(valueIn(change, 'before', cell), before) ||
            mustKnow(author, placeOf(table, row), nameOfCell(cell)) === undefined),
      );
      // A subject that a repeated request created twice is deactivated.
      const isDuplicate = table === 'subjects' && isSecond && cell.member === 'is_active' && after === false;
      const what = `${nameOfCell(cell)} ${JSON.stringify(before)} → ${JSON.stringify(after)}`;
      if (!fits && !isDuplicate) wrong('approval', `${call.name} wrote ${what}, not as in the approved plan`, [row.id]);
    }
  };

  const checkCreated = (call: SyncCall, row: Row): void => {
    const member = memberOf(row);
    // A site may carry out an earlier request of the process late.
    const asked = requests.filter((each) => each.caller === call.name && asksFor(each, 'subjects', row, true));
    const known = created.find(
      (each) => each.member === member && asked.every(({ listedAt }) => listedAt === undefined || each.at < listedAt),
    );
    if (known) wrong('created twice', `${call.name} created a subject of ${member} beside ${known.id}`, [member]);
    created.push({ member, id: row.id, at: clock.monotonic() });
  };

  const checkReplaced = (
    call: SyncCall,
    author: Pending,
    table: Table,
    row: Row,
    { cell, before, after }: Change,
  ): void => {
    const name = nameOfCell(cell);
    // An earlier request that was carried out after the newest one: nobody can know.
    const asked = author.method === 'PATCH' ? valueOf(JSON.parse(author.body) as object, cell) : after;
    if (asked !== undefined && !isDeepStrictEqual(asked, after)) return person.forget(cell);
    const isTheirs = edited.has(name);
    const reason = mustKnow(author, placeOf(table, row), name);
    edited.delete(name);
    if (!isTheirs || (call.command !== 'undo' && records.hasReplaced(table, row, cell, before))) return;
    const what = `${call.name} replaced ${name} ${JSON.stringify(before)} by ${JSON.stringify(after)}`;
    // Nobody can tell the person's value from the same value of a run.
    const isOfRun = call.command === 'undo' && records.isToUndo(table, row, { cell, before: after, written: before });
    if (reason === undefined || isOfRun) person.forget(cell);
    else wrong('overwritten', `${what}, ${reason}, and no record says so`, [row.id]);
  };

  const checkRow = (table: Table, was: Row | undefined, is: Row): void => {
    const isNew = was === undefined;
    const asked = requests.filter((request) => asksFor(request, table, is, isNew));
    // Of two callers who write the same row at once, the one whose values it has.
    const author = asked.findLast((request) => isOutcome(request, is)) ?? asked.at(-1);
    const call = author && calls.get(author.caller);
    if (!call) return wrong('overwritten', `nobody asked for the change of ${table} ${is.id}`, [is.id]);
    if (['verify', 'dry run'].includes(call.command)) wrong('wrote', `${call.name} wrote ${table} ${is.id}`, [is.id]);
    if (call.command !== 'undo' && !records.hasWritten(table, is, isNew))
      wrong('unrecorded', `${call.name} wrote ${table} ${is.id}, and no synced journal says so`, [is.id]);
    if (isNew && table === 'subjects') checkCreated(call, is);
    const changes = changesOf(table, was ?? { id: is.id }, is);
    const shown = changes.filter(({ cell: { member } }) => ['name', 'display', 'is_active'].includes(member));
    checkApproved(call, author, table, is, isNew ? shown : changes);
    if (!isNew) for (const change of changes) checkReplaced(call, author, table, is, change);
  };

  /** A row of the person's may only be deleted by somebody who could not have seen their change. */
  const checkDeleted = (table: Table, row: Row): void => {
    const author = requests.findLast((request) => asksFor(request, table, row, false));
    const call = author && calls.get(author.caller);
    if (!call) return wrong('overwritten', `nobody asked for the deletion of ${table} ${row.id}`, [row.id]);
    for (const cell of person.cellsOf(row.id)) {
      const reason = mustKnow(author, placeOf(table, row), nameOfCell(cell));
      if (reason === undefined) person.forget(cell);
      else wrong('overwritten', `${call.name} deleted ${nameOfCell(cell)}, ${reason}`, [row.id]);
    }
  };

  const checkForm = (was: unknown, is: unknown): void => {
    const author = requests.findLast(({ method }) => method === 'PUT');
    const call = author && calls.get(author.caller);
    const there = new Set(propertiesOf(is));
    for (const field of propertiesOf(was).filter((each) => !there.has(each))) {
      const name = `field ${field}`;
      if (!call || !edited.has(name)) continue;
      const reason = mustKnow(author, { table: 'form', id: '' }, name);
      edited.delete(name);
      if (reason === undefined) person.forgetField(field);
      else wrong('overwritten', `${call.name} removed the field ${field}, ${reason}`, ['form']);
    }
  };

  const look = (): void => {
    const [before, now] = [state, site.state()];
    state = now;
    for (const table of tables) {
      const known = new Map(rowsOf(before, table).map((row) => [row.id, row]));
      for (const row of rowsOf(now, table)) {
        const was = known.get(row.id);
        if (!isDeepStrictEqual(was, row)) checkRow(table, was, row);
        known.delete(row.id);
      }
      for (const row of known.values()) checkDeleted(table, row);
    }
    if (!isDeepStrictEqual(before.form, now.form)) checkForm(before.form, now.form);
  };

  const placeIn = (url: string): Place | undefined => {
    const { pathname } = new URL(url);
    for (const table of tables)
      for (const row of rowsOf(state, table))
        if (pathname.includes(`/${row.id}/`) || pathname.endsWith(`/${String(row['value'])}/`))
          return placeOf(table, row);
    return pathname.includes('/segments/') ? { table: 'form', id: '' } : undefined;
  };

  /** Two processes that share a lock never write at the same time. */
  const checkWriter = (call: SyncCall): void => {
    const now = clock.monotonic();
    const other = writer?.call;
    if (writer && other && other !== call && other.process.alive() && now - writer.at < holdMs && isLocked())
      wrong('two writers', `${call.name} writes while ${other.name} does`, []);
    writer = { call, at: now };
  };

  return {
    violations,
    edits: () => edits,
    approve: (plan) => void plans.set(plan.hash, plan),
    sent(call, request) {
      calls.set(call.name, call);
      const isWrite = !['GET', 'OPTIONS'].includes(request.method) && !request.end;
      readings.note(call.name, request, placeIn(request.url));
      if (isWrite) checkWriter(call);
    },
    arrived(request) {
      look();
      if (!['GET', 'OPTIONS'].includes(request.method))
        requests.push({ ...request, at: clock.monotonic(), listedAt: readings.listedSubjectsAt(request.caller) });
      if (requests.length > maxRequests) requests.shift();
    },
    look,
    edit() {
      look();
      const done = person.edit();
      if (!done) return;
      edits += 1;
      const name = 'field' in done ? `field ${done.field}` : nameOfCell(done.cell);
      edited.set(name, clock.monotonic());
      state = site.state();
      simulation.note(`edit ${name}`);
      simulation.tell(`a person edits ${name}${'value' in done ? ` to ${JSON.stringify(done.value)}` : ''}`);
    },
  };
};
