import type { PlannedChange, SyncPlan } from '@ranger-relay/contracts';
import { plural, printable, type Paint } from '@ranger-relay/terminal';

const quoted = (value: unknown): string =>
  typeof value === 'string' ? `"${printable(value)}"` : JSON.stringify(value);

const reasons = {
  login: 'a login that never went on a patrol',
  not_planned: 'neither employed nor on a patrol',
  not_in_bundle: 'no longer in the bundle',
  duplicate: 'another subject stands for the same employee',
} as const;

/** What an update changes, member by member: `display "A" → "B"`; of `additional` only what differs. */
const fromTo = (before: object, written: object): string =>
  Object.entries(written)
    .flatMap(([name, value]): string[] => {
      const old = (before as Record<string, unknown>)[name];
      if (name !== 'additional') return [`${name} ${quoted(old)} → ${quoted(value)}`];
      const [was, is] = [old as Record<string, unknown>, value as Record<string, unknown>];
      return [...new Set([...Object.keys(was), ...Object.keys(is)])]
        .filter((key) => JSON.stringify(was[key]) !== JSON.stringify(is[key]))
        .map((key) => `${key} ${quoted(was[key] ?? null)} → ${quoted(is[key] ?? null)}`);
    })
    .join(', ');

const activity = ({ is_active: active }: { is_active: boolean }): string => (active ? '' : ' (inactive)');

const isDeactivation = (change: PlannedChange): boolean =>
  change.kind === 'subject' && change.action === 'updated' && change.reason !== undefined;

const lineOf = (change: PlannedChange, paint: Paint): string[] => {
  const [plus, tilde] = [paint.green('+'), paint.yellow('~')];
  switch (change.kind) {
    case 'patrol_type':
      if (change.action === 'created')
        return [`${plus} patrol type ${change.value} ${quoted(change.written.display)}${activity(change.written)}`];
      return [`${tilde} patrol type ${change.value}: ${fromTo(change.before, change.written)}`];
    case 'universal_patrol_fields':
      return [
        `${change.before === null ? plus : tilde} universal patrol fields`,
        ...change.notes.map((note) => `    ${printable(note)}`),
      ];
    case 'choice': {
      const name = `choice ${change.field} ${printable(change.value)}`;
      if (change.action === 'created')
        return [`${plus} ${name} ${quoted(change.written.display)}${activity(change.written)}`];
      return [`${tilde} ${name}: ${fromTo(change.before, change.written)}`];
    }
    case 'subject':
      if (change.action === 'created')
        return [`${plus} subject ${quoted(change.written.name)}${activity(change.written)}`];
      return [`${tilde} subject ${quoted(change.name)}: ${fromTo(change.before, change.written)}`];
    case 'roster':
      return [`${plus} roster ${quoted(change.group_name)}: ${change.subjects.length} to join`];
  }
};

/** A plan as a difference that can be read; people who are deactivated stand apart, with the reason. */
export const describePlan = ({ changes, steps, logins_left_out, hash }: SyncPlan, paint: Paint): string[] => {
  const leaving = changes.filter(isDeactivation);
  const unchanged = Object.values(steps).reduce((sum, step) => sum + step.unchanged, 0);
  return [
    ...changes.filter((change) => !isDeactivation(change)).flatMap((change) => lineOf(change, paint)),
    ...(leaving.length > 0 ? ['', 'People who would be deactivated:'] : []),
    ...leaving.flatMap((change) =>
      change.kind === 'subject' && change.action === 'updated' && change.reason
        ? [`${paint.red('-')} subject ${quoted(change.name)}: ${reasons[change.reason]}`]
        : [],
    ),
    '',
    `${plural(changes.length, 'write')}, ${unchanged} unchanged, ${plural(logins_left_out, 'login')} left out. Plan ${hash}`,
  ];
};
