import type { PlannedChange } from '@ranger-relay/contracts';
import type { PatrolType } from '@ranger-relay/site';
import type { DesiredType } from '../desired/types.ts';
import { differences } from './differences.ts';
import type { StepPlan } from './step.ts';

type TypeUpdate = Extract<PlannedChange, { kind: 'patrol_type'; action: 'updated' }>;

/** What an existing type lacks: its display, and activity when the transport is active. A type is never deactivated (site contract, 3). */
export const typeChange = (
  present: PatrolType,
  { value, display, isActive }: Omit<DesiredType, 'transport'>,
): TypeUpdate | undefined => {
  const found = differences<Pick<PatrolType, 'display' | 'is_active'>>(present, {
    display,
    ...(isActive ? { is_active: true } : {}),
  });
  return found && { kind: 'patrol_type', action: 'updated', value, id: present.id, ...found };
};

/** Upserts by value. */
export const planTypes = (present: readonly PatrolType[], desired: readonly DesiredType[]): StepPlan => {
  const byValue = new Map(present.map((type) => [type.value, type]));
  const changes = desired.flatMap((type): PlannedChange[] => {
    const { value, display, isActive } = type;
    const there = byValue.get(value);
    if (there) return [typeChange(there, type) ?? []].flat();
    return [{ kind: 'patrol_type', action: 'created', value, written: { value, display, is_active: isActive } }];
  });
  return { changes, unchanged: desired.length - changes.length, others: 0, skipped: null };
};
