import test from 'ava';
import { patrolSyncs } from '../api/group.ts';
import { holderOf, holderText, siteLockName, readHolder, viewSiteLock, type Holder } from './site-lock.ts';

const object = { metadata: { name: 'north', namespace: 'park', uid: 'u1' } };
const me = holderOf(patrolSyncs, object);
const other: Holder = { ...me, name: 'south', uid: 'u2' };
const lease = (holderIdentity = '') => ({ metadata: { name: 'l' }, spec: { holderIdentity } });
const seen = (text: string | undefined, gone = false) => viewSiteLock(lease(text), me, () => gone);

test('one site has one Lease, however its address is written', (t) => {
  const names = [
    'site.example',
    'SITE.example',
    'https://site.example',
    'https://site.example/',
    'https://site.example:443/api/v1.0/',
  ];
  t.is(new Set(names.map(siteLockName)).size, 1);
  t.not(siteLockName('site.example:8443'), siteLockName('site.example'));
  t.regex(siteLockName('site.example'), /^site-[0-9a-f]{12}$/);
});

test('a Lease is mine, free or another one’s', (t) => {
  t.like(
    viewSiteLock(undefined, me, () => false),
    { mine: false, free: true },
  );
  t.like(seen(''), { mine: false, free: true });
  t.like(seen(holderText(me)), { mine: true, free: false });
  t.like(seen(holderText(other)), { mine: false, free: false, holder: 'PatrolSync park/south' });
  t.like(seen(holderText({ ...me, uid: 'u0' })), { mine: false, free: false });
});

test('a Lease is free again when its holder is gone with all that works for it; a stranger’s never is', (t) => {
  t.true(seen(holderText(other), true).free);
  t.false(seen('somebody', true).free);
  t.is(readHolder(lease('somebody')), undefined);
  t.deepEqual(readHolder(lease(holderText(other))), other);
});
