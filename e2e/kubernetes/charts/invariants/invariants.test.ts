import test from 'ava';
import { rules as between } from '../services.ts';
import { mebibytes } from './running.ts';

test('sizes of memory are compared in one unit', (t) => {
  t.deepEqual([mebibytes('512Mi'), mebibytes('1Gi'), Math.round(mebibytes('1G'))], [512, 1_024, 954]);
  t.true(Number.isNaN(mebibytes('512')));
});

test('services with actions do not start without knowing who may call them', (t) => {
  const oidc = { AUTH_MODE: 'oidc', INTEGRATION_SERVICE_URL: 'https://relay.example' } as never;
  for (const service of ['message-pusher', 'action-runner'])
    t.regex(t.throws(() => between[service]?.(oidc))?.message ?? '', /AUTH_OIDC_SERVICE_ACCOUNT/);
});
