import type { PlannedChange } from '@ranger-relay/contracts';
import type { PatrolType, UnreadableRow } from '@ranger-relay/site';
import { type Label, labelLimits } from '../bundle/labels/label.ts';
import type { Bundle, Transport } from '../bundle/model.ts';
import type { OtherArea } from '../run/known-records.ts';
import {
  already,
  type Applied,
  type ApplyContext,
  areaThat,
  type ChangeOf,
  differences,
  type EntryOf,
  heldBackBy,
  left,
  type Resource,
  rowWithValue,
  type StepPlan,
  type UndoContext,
  undone,
  type Undone,
} from './resource.ts';
import {
  applyCreate,
  applyUpdate,
  compareObject,
  createdChanged,
  describeObject,
  describeUpdate,
  inactive,
  quoted,
  reconcileObject,
  undoCreated,
  undoUpdated,
  valuesOf,
} from './object.ts';

/** A desired patrol type. */
export interface DesiredType {
  readonly value: string;
  readonly display: string;
  readonly isActive: boolean;
  /** Whether patrols of the bundle have it. */
  readonly isUsed: boolean;
  /** A hint for choosing an icon. */
  readonly transport: Pick<Transport, 'iconKey' | 'classKey' | 'requiresPilot'>;
}

/** One patrol type per transport, except for a transport without a key. */
export const desiredTypes = (
  { transports, usage }: Pick<Bundle, 'transports' | 'usage'>,
  label: Label,
): DesiredType[] =>
  transports.flatMap(({ key, value, names, isActive, ...transport }) => {
    const isUsed = usage.transports.has(transport.uuid);
    return value === null
      ? []
      : [{ value, display: label(names, key ?? value, labelLimits.type), isActive, isUsed, transport }];
  });

type TypeUpdate = Extract<ChangeOf<'patrol_type'>, { action: 'updated' }>;

/**
 * The update that an existing type needs: its display, and its activity when the transport is active. A type is never deactivated (site
 * contract, 3).
 */
const changeOf = (
  present: PatrolType,
  { value, display, isActive }: Omit<DesiredType, 'transport' | 'isUsed'>,
): TypeUpdate | undefined => {
  const found = differences<Pick<PatrolType, 'display' | 'is_active'>>(present, {
    display,
    ...(isActive ? { is_active: true } : {}),
  });
  return found && { kind: 'patrol_type', action: 'updated', value, id: present.id, display: present.display, ...found };
};

const nameOf = ({ value }: { readonly value: string }): string => `patrol type ${value}`;

/** A sentence for a type that stays in use although its transport is inactive (site contract, 3). */
const staysActive = ({ value, display, isUsed }: DesiredType, area: string | undefined): string => {
  const unless = area === undefined ? '' : ` unless area ${area} uses it`;
  const own = isUsed
    ? `patrols of the bundle need it until their import has ended; make it inactive on the site then${unless}`
    : 'a run never makes a type inactive; do that on the site';
  const why = area === undefined || isUsed ? own : `area ${area} uses it`;
  return `The patrol type ${value} stays active although its transport is inactive: ${why} (${quoted(display)})`;
};

/** Plans the patrol types, matched by value. */
export const planTypes = (
  present: readonly PatrolType[],
  desired: readonly DesiredType[],
  unreadable: readonly UnreadableRow[] = [],
  others: readonly OtherArea[] = [],
): StepPlan => {
  const byValue = new Map(present.map((type) => [type.value, type]));
  const heldBack: string[] = [];
  const changes = desired.flatMap((type): PlannedChange[] => {
    const { value, display, isActive } = type;
    const there = byValue.get(value);
    const change = there && changeOf(there, type);
    if (there) return change ? [change] : [];
    const row = rowWithValue(unreadable, (other) => other === value);
    if (row) {
      heldBack.push(heldBackBy(nameOf(type), row));
      return [];
    }
    return [{ kind: 'patrol_type', action: 'created', value, written: { value, display, is_active: isActive } }];
  });
  const unchanged = desired.length - changes.length - heldBack.length;
  const [remarks, notes]: [string[], string[]] = [[], []];
  for (const type of desired) {
    if (!byValue.get(type.value)?.is_active || type.isActive) continue;
    const area = areaThat(others, (needs) => needs.patrol_types.includes(type.value));
    // Where patrols of two areas need the type, a note on both lists would ask nobody.
    (area === undefined || type.isUsed ? remarks : notes).push(staysActive(type, area));
  }
  return { changes, heldBack, remarks, notes, unchanged, others: 0, skipped: null };
};

/** The type as it is now; a type that the list does not show may still show by itself. */
const current = async ({ site, fresh }: Pick<ApplyContext, 'site' | 'fresh'>, value: string) =>
  (await fresh.types()).find((type) => type.value === value) ?? site.patrolType(value);

const update = (context: ApplyContext, change: TypeUpdate): Promise<Applied> => {
  const { kind, action, value, id } = change;
  return applyUpdate(context, change, {
    name: nameOf(change),
    read: async () => {
      const present = await current(context, value);
      return present?.id === id ? present : undefined;
    },
    patch: (present, changes, readAt) => context.site.patchPatrolType(present, changes, readAt),
    recorded: (due) => ({ kind, action, value, id, ...due }),
  });
};

const apply = async (context: ApplyContext, change: ChangeOf<'patrol_type'>): Promise<Applied> => {
  if (change.action === 'updated') return update(context, change);
  const { site, writes } = context;
  const { kind, action, value, written } = change;
  return applyCreate({
    name: nameOf(change),
    create: () =>
      writes.write({ kind, action, value, id: '', written }, async () => {
        const type = await site.createPatrolType(written);
        return { id: type.id, given: givenIn(type) };
      }),
    find: () => site.patrolType(value),
    written,
  });
};

/** What of a type no run writes: the site gives it, and an admin may set it. */
const givenIn = ({ icon = null, ordernum = null, default_priority = null }: PatrolType) => ({
  icon,
  ordernum,
  default_priority,
});

/** What deleting a type would lose: the values that an admin has set since the run created it; undefined when there are none. */
const workOn = (present: PatrolType, { given }: EntryOf<'patrol_type'>, isForced: boolean): string | undefined => {
  const now = givenIn(present);
  // Where the answer to the creation was lost, what the site gave is not known: no run gives an icon.
  const set = differences<Record<string, unknown>>(given ?? { ...now, icon: null }, now);
  return set && `set since, and ${isForced ? 'deleted too' : 'kept'}: ${describeUpdate(set)}`;
};

const undo = async (context: UndoContext, entry: EntryOf<'patrol_type'>): Promise<Undone> => {
  const { site, force, readAt } = context;
  const { id, value, written } = entry;
  const known = await current(context, value);
  // The id of another type with the same value is not the object that the run wrote.
  const present = id === '' || known?.id === id ? known : undefined;
  if (present) context.nameObject(`${nameOf(entry)} ${quoted(present.display)}`);
  if (entry.action === 'updated')
    return undoUpdated(
      context,
      present,
      entry,
      async (before) => present && site.patchPatrolType(present, before, readAt),
    );
  if (!present) return already('it is gone');
  const changed = force.has('patrol_type') ? undefined : createdChanged(present, { kind: 'patrol_type', written });
  if (changed) return changed;
  const area = areaThat(context.others, ({ unused }) => unused.patrol_types.includes(value));
  if (area !== undefined && !present.is_active) return left(`area ${area} names it`);
  const isForced = force.has('patrol_type');
  const work = workOn(present, entry, isForced);
  const kept = area === undefined ? (isForced ? undefined : work) : `area ${area} names it`;
  const use = kept === undefined ? await site.patrolTypeUse(present) : 'used';
  if (use === 'unused') {
    await site.deletePatrolType(present);
    return undone('deleted', work ?? null);
  }
  const outcome = await undoCreated(present, () => site.patchPatrolType(present, inactive, readAt));
  const users = use === 'used' ? 'patrols use it' : 'patrols that the token is not shown may use it';
  return { ...outcome, reason: kept ?? users };
};

/** Patrol types, identified by value (site contract, 3). */
export const patrolType: Resource<'patrol_type'> = {
  stepName: 'Patrol types',
  permissions: 'activity.view_patroltype, activity.add_patroltype and activity.change_patroltype',
  name: nameOf,
  key: ({ value }) => `patrol_type ${value}`,
  describe: (change, paint) => describeObject(change, nameOf(change), paint),
  compare: async (change, { types }) =>
    compareObject(
      types.find(({ value }) => value === change.value),
      change,
    ),
  apply,
  reconcile: async (site, entry) => reconcileObject(await site.patrolType(entry.value), entry),
  undo,
  values: valuesOf,
  isNeeded: ({ value }, needs) => needs.patrol_types.includes(value),
};
