import { httpAnswer } from '@ranger-relay/http/testing';
import test from 'ava';
import { parks, startInstallation } from './test/installation.ts';

const noRows = () => httpAnswer(200, { data: { count: 0, next: null, results: [] } });

test('a dropped SOS ends as soon as the platform is seen to have enabled its integration, whatever becomes of the request', async (t) => {
  const x = await startInstallation(t);
  await x.webhook(parks.closed, { messageCode: 4 });
  t.not(x.process.conditions.find('sos_dropped', parks.closed), undefined);
  x.enabled.closed = true;
  await x.pass(70);
  await x.webhook(parks.closed, {}, { 'content-encoding': 'gzip' });
  await x.pass(2);
  t.is(x.process.conditions.find('sos_dropped', parks.closed), undefined);
});

test('an account that lacks a permission is told of until the action that needs it succeeds, whatever another one may do', async (t) => {
  const x = await startInstallation(t);
  const run = (action: string) =>
    x.call('action-runner', '/v1/actions/execute', { integration_id: parks.site, action_id: action });
  const refused = () => x.process.conditions.find('site_credentials_refused', parks.site)?.details['action'];
  x.say.site = () => httpAnswer(403, { status: { code: 403, message: 'Forbidden' } });
  await run('pull_events');
  t.is(refused(), 'pull_events');
  x.say.site = noRows;
  t.is(await run('pull_observations'), 200);
  t.is(refused(), 'pull_events');
  t.is(await run('pull_events'), 200);
  t.is(refused(), undefined);
});
