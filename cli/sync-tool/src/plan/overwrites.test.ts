import type { PlannedChange, SyncPlan } from '@ranger-relay/contracts';
import test from 'ava';
import { resourceOf } from '../resources/index.ts';
import { overwriteWarnings } from './overwrites.ts';

const [north, south] = ['00000000-0000-4000-8000-0000000000aa', '00000000-0000-4000-8000-0000000000bb'];

/** A plan of one area that changes whether an option is in use, which a run of another area has left otherwise. */
const warningsFor = (written: boolean): string[] => {
  const change = {
    kind: 'choice',
    action: 'updated',
    id: 'c1',
    field: 'patrol_mandate',
    value: 'routine',
    before: { is_active: !written },
    written: { is_active: written },
  } as unknown as PlannedChange;
  const plan = { changes: [change], conservation_area: { uuid: south, id: '052' } } as unknown as SyncPlan;
  const left = { value: !written, area: { uuid: north, title: 'North (051)' }, isUndone: true };
  return overwriteWarnings(plan, new Map([[resourceOf(change).key(change), new Map([['is_active', left]])]]), []);
};

test('what an area had out of use is said to be in use again only where it becomes so', (t) => {
  t.regex(
    warningsFor(true).join('\n'),
    /^A run puts in use again what area North \(051\) has out of use; .* \(1\):\n {2}choice patrol_mandate routine.*: is_active false → true$/,
  );
  t.deepEqual(warningsFor(false), []);
});
